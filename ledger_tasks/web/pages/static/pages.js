// Keys and the light between a field and its place on the picture. Everything works without this file, too.
"use strict";

const typing = (element) => element.matches("input:not([type=checkbox]), select, textarea");
const press = (id) => document.getElementById(id)?.click();
const off = () => localStorage.getItem("keys-off") === "yes";

const stops = () => [...document.querySelectorAll("[data-rows] tbody th a, form.field input:not([type=hidden])")]
  .filter((element) => element.checkVisibility());

function step(by) {
  const all = stops();
  const at = all.indexOf(document.activeElement);
  const to = all[at === -1 ? (by > 0 ? 0 : all.length - 1) : at + by];
  to?.focus();
  if (to?.matches("input")) to.select();
}

const keys = {
  "/": () => document.getElementById("q")?.focus(),
  j: () => step(1),
  k: () => step(-1),
  n: () => press("next"),
  p: () => press("previous"),
  a: () => press("accept"),
  r: () => location.assign("/review"),
  "?": () => {
    const shown = document.getElementById("keys");
    if (shown) { shown.open = !shown.open; shown.querySelector("summary").focus(); }
  },
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || off()) return;
  if (event.key === "Escape" && typing(event.target)) { event.target.blur(); return; }
  if (typing(event.target) || !(event.key in keys)) return;
  event.preventDefault();
  keys[event.key]();
});

function light(name, on) {
  document.querySelectorAll("[data-box]").forEach((box) => {
    if (box.dataset.box === name) box.classList.toggle("lit", on);
  });
}
document.addEventListener("focusin", (event) => {
  const field = event.target.closest("[data-field]");
  if (field) light(field.dataset.field, true);
});
document.addEventListener("focusout", (event) => {
  const field = event.target.closest("[data-field]");
  if (field) light(field.dataset.field, false);
});
document.addEventListener("click", (event) => {
  const box = event.target.closest?.("[data-box]");
  if (box) document.getElementById(`field-${box.dataset.box}`)?.focus();
});

// After a value was saved the next doubtful field is at hand; after none is left, the button that goes on.
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.target.id !== "receipt") return;
  const wrong = document.querySelector("#receipt [aria-invalid]");
  const doubtful = document.querySelector("#receipt .doubtful input:not([type=hidden])");
  const next = wrong ?? doubtful ?? document.getElementById("accept") ?? document.getElementById("next");
  next?.focus();
});

const box = document.getElementById("keys-off");
if (box) {
  box.checked = off();
  box.addEventListener("change", () => localStorage.setItem("keys-off", box.checked ? "yes" : "no"));
}
