"""The words beside an amount come in; what the amount is, and how plainly the words say so, goes out."""

import re
import unicodedata
from enum import StrEnum
from typing import Final


class Role(StrEnum):
    """What an amount on a receipt may be."""

    TOTAL = "total"
    SUBTOTAL = "subtotal"
    TAX = "tax"
    ROUNDING = "rounding"
    CASH = "cash"
    CARD = "card"
    CHANGE = "change"
    DISCOUNT = "discount"
    SERVICE = "service"
    TIP = "tip"
    COUNT = "count"
    FACTOR = "factor"
    OTHER = "other"


# Each line: role, how plainly the words name it (1 to 5), and patterns of letters without spaces.
# The first line that matches decides, so words that contain `total` and are none stand above it.
_LABELS: Final = tuple(
    (Role(name), int(weight), re.compile("|".join(patterns)))
    for name, weight, *patterns in (
        line.split()
        for line in r"""
    total     5  total.{0,20}(after|atf|aft).{0,3}(round|rnd|adj) ttl(after|atf|aft).{0,3}(round|rnd|adj)
    total     5  round.{0,3}total total.{0,18}round(ed)?$
    subtotal  3  sub-?t[ao]t[ao]?l subttl zwischensumme sous-?total подытог промежуточн суммабез base(imponible|imp)
    subtotal  3  netto(summe|betrag|umsatz)
    count     3  (total|ttl|tot)(qty|quantity|item|pcs|unit) itemcount itemsold (no|number)ofitem
    count     3  articulos nbarticle anzahl positionen позиций
    discount  3  (total|you|tot).{0,6}sav savings? gespart ersparnis rabatt remise descuento скидка discount
    discount  3  disc$ ^disc voucher coupon gutschein
    subtotal  2  excl beforetax beforegst befgst w/?ogst netamtexcl taxable supplies horstaxe totalht sinimpuesto
    subtotal  2  безндс salesamount$
    other     3  points?(bal|earn) ^points bonuspunkte tabungan balance?points?
    rounding  3  roundi rounda rndi rndadj r.{1,5}dingadj rounded?ad ^round$ adjustment pelarasan rundung arrondi
    rounding  3  redondeo округлен
    change    3  change baki wechselgeld ruckgeld zuruck rendu cambio vuelto сдача ^дача
    service   3  servicecharge svccharge servchg svcchg srvchg servicech ^service bedienung обслуживан
    tip       3  ^tip gratuit trinkgeld pourboire propina чаевые
    total     4  (total|summe|gesamt)(amount|amt|sales?|betrag|eur|rm)?in[ck]l(?!ud) ^o?t?alin[ck]l(?!ud)
    tax       2  (total|ttl)(gst|tax|vat|sst) (gst|tax|vat|sst)(total|amt|amount) includedgst gstinclu
    tax       2  inclu(des?|sive)\d*%?(gst|tax) (enthalt|inkl).{0,8}(mwst|ust|steuer) donttva dontiva втч суммандс
    total     5  grandtotal total.?(due|payable|topay) amountdue balancedue amt?due amountpayable
    total     5  (nett?|bill|final|sales?)total nett?(amt|amount) zuzahlen zahlbetrag endbetrag endsumme
    total     5  apayer apagar коплате gesamtbetrag gesamtsumme rechnungsbetrag totalttc totalgeneral
    total     5  montantdu importetotal общаясумма суммачека
    total     4  total.{0,20}(incl|inc|with|w/) totala?m(oun)?t totalsale totalrm totaleur totalusd jumlah ttc$
    total     3  total tota$ ttl$ summe gesamt betrag montant importe итог всего ^сумма amount$ ^amt$
    cash      3  cash(?!ier) tender tunai bar$ gegeben bargeld especes efectivo entregado наличн получено
    cash      3  paid payment amtreceived recu
    card      3  visa master credit debit cards?$ ^card amex maestro girocard karte carte tarjeta картой
    card      3  безнал paywave ewallet
    tax       2  gst sst vat tax mwst ust steuer tva iva ндс impuesto
    """.strip().splitlines()
    )
)
_CURRENCY: Final = re.compile(r"(?i)(?<!\w)(?:rm|myr|eur|euro|usd|gbp|chf|sgd|aud|rub|byn|kzt|руб)(?!\w)")
_CONFUSED: Final = str.maketrans({"0": "o", "1": "l", "|": "l", "@": "a", "5": "s"})
_TOTAL: Final = re.compile(r"[tli][ao]ta[li]")
"""What recognition makes of the word total."""


def letters(text: str) -> str:
    """Return what recognition rarely gets wrong: letters without case, accents, spaces and signs."""
    folded = unicodedata.normalize("NFKD", text.casefold())
    kept = "".join(letter for letter in folded if letter.isalpha() or letter in "01|@5%/-")
    kept = re.sub(r"(?<=[^\W\d_])[01|@5](?=[^\W\d_])", lambda match: match[0].translate(_CONFUSED), kept)
    return _TOTAL.sub("total", kept).replace("-", "")


def role(text: str) -> tuple[Role, int]:
    """Return the role that the words give, with a weight from 1 to 5; OTHER and 0 when they say nothing."""
    for key in dict.fromkeys((letters(text), letters(_CURRENCY.sub(" ", text)))):
        for name, weight, pattern in _LABELS:
            if pattern.search(key):
                return name, weight
    return Role.OTHER, 0


def is_tax_summary(text: str) -> bool:
    """Say whether a row opens a table of taxes, in which `total` means other things."""
    key = letters(text)
    return bool(re.search(r"(gst|tax|sst|vat|mwst)(summary|analysis|summery|code|rate)|summary.*tax|gsummary", key))
