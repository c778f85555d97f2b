"""Every scenario of the exchange's specification is named by a test that shows it."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
SCENARIOS = (
    "Публикация запроса парсеру",
    "NATS недоступен",
    "Сервис подтвердил",
    "Сервис недоступен",
    "Сервис появился после первого повтора",
    "Успешный результат",
    "Повторная доставка",
    "Ошибка сервиса",
    "Результат пришёл после таймаута",
    "Сервис взял, но не ответил",
    "Dev-окружение compose",
    "Два инстанса ядра",
    "NATS выключен",
    "Умолчания",
    "Subject'ы окружения",
    "Недопустимый subject",
    "JWT не раскрывается",
    "Ack нового сервиса",
    "Предупреждения 1.x оборачиваются",
    "Предупреждения 2.0 сохраняются как пришли",
    "Неизвестный MAJOR",
    "Результат 2.0 разбирает маппер 2.0",
    "Повтор после NO_ACK",
    "Старый ответ",
    "Публикация после недоступности NATS",
    "Двойное нажатие",
)


def test_every_scenario_is_named_by_a_test() -> None:
    named = " ".join(
        words for path in TESTS.rglob("test_*.py") for words in re.findall(r"Scenarios?: ([^\n]+)", path.read_text())
    )
    assert [each for each in SCENARIOS if each not in named] == []
