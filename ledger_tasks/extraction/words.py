"""Words of shops in five languages, as patterns: what names a company, a street, or neither."""

import re
from typing import Final


def any_of(*patterns: str) -> re.Pattern[str]:
    """Return a pattern that finds any of the patterns as whole words, without case."""
    return re.compile(r"(?i)(?<!\w)(?:" + "|".join("|".join(each.split(" | ")) for each in patterns) + r")(?!\w)")


LEGAL_FORM: Final = any_of(
    r"s[d0oi]n\.?,? ?b[hn][dou]\.? | s/b | bhd\.? | pte\.? ?ltd\.? | ltd\.? | plc | llc | inc\.? | corp\.?",
    r"gmbh | e\.? ?k\. | ohg | kg | s\.?a\.?r\.?l\.? | sas | s\.l\.u?\.? | s\.a\.? | ооо | зао | ао | ип",
    r"enterprise | trading",
)
DAMAGED_FORMS: Final = (
    (re.compile(r"\b(?!SDN[., ]{0,3}BHD)[S5][DIO0][NMH][.,]{0,2} ?B[HN][DUO0]\b"), "SDN BHD"),
    (re.compile(r"\b(?!Sdn[., ]{0,3}Bhd)[S5][dio0][nmh][.,]{0,2} ?[B8][hn][duo0]\b"), "Sdn Bhd"),
    (re.compile(r"(?<=\bBHD)(?:\. ?|[., ]{2})\w{1,2}$"), ""),
    (re.compile(r"(?<=\w )[S5]/[B8]$"), "S/B"),
)
"""Legal forms that recognition often damages, and how they are written."""

BUSINESS: Final = any_of(
    r"restaurants? | restoran | ristorante | hardware | stores? | shop | mart | market | \w*markt | pharmacy | clinic",
    r"bakery | cafe | café | coffee | kitchen | books? | stationery | electrical | perniagaan | syarikat | kedai",
    r"pasar | hotel | company | station | petrol | bistro | house | bäckerei | apotheke | gasthaus | boulangerie",
    r"pharmacie | librairie | farmacia | tienda | panadería | supermercado | магазин | кафе | аптека",
    r"пекарня",
)
NOT_NAME: Final = any_of(
    r"tax invoice | invoice | receipt | cash bill | cash sales? | bill | gst | sst | vat | tel | fax | phone | h/?p",
    r"reg | company no | co\.? ?no | roc | welcome | date | time | table | cashier | order | counter | formerly",
    r"licensee | franchise\w* | owned | operated | member | thank | server | terminal | guest check | copy",
    r"duplicate | a/c | customer | deliver\w* | hours? | hrs | open\w* | staff | slip | served | bring\w*",
    r"rechnung | quittung | kassenbon | beleg | ust | steuer\w* | ticket | facture | factura | recibo | чек | инн",
    r"кассовый",
)
STREET: Final = any_of(
    r"jalan | jln | jl | j[il]n | lorong | lrg | lot | no\W{0,3}\w?\d\w* | blk | block | blok | taman | tmn | bandar",
    r"kampung | kg\. | persiaran | lebuh\w* | level | ground | floor | flr | unit | suite | plaza | mall",
    r"cent(?:re|er) | kompleks | wisma | menara | street | st\. | \w*str\. | \w*stra(?:ß|ss)e | road | rd | avenue",
    r"ave | blvd | lane | drive | rue | boulevard | bd | place | quai | chemin | all[ée]e | avenida | avda\.?",
    r"paseo | pso\.? | pl\. | calle | c/ | \w*platz | \w*weg | \w*allee",
    r"ул\.? | улица | просп\w* | пр-т",
    r"section | seksyen | batu | \d{5} | [a-z]{1,2}\d{1,2}[a-z]? \d[a-z]{2}",
)
REGION: Final = any_of(
    r"selangor | johor | kuala lumpur | k\.?l | penang | pulau pinang | perak | melaka | sabah | sarawak | pahang",
    r"kedah | kelantan | terengganu | perlis | negeri sembilan | putrajaya | wilayah persekutuan | darul \w+",
    r"malaysia | singapore | deutschland | germany | france | españa | spain | россия | usa | united kingdom",
)
NOT_ADDRESS: Final = any_of(
    r"tel\w* | phone | mobile | fax | h/?p | hotline | gst | sst | vat",
    r"ust\w* | mwst\w* | uid\w* | che | atu\w* | rfc | tva | n\.?i\.?f | c\.?i\.?f | инн",
    r"t[ée]l\w* | ticket | note | тел\.? | abn | uen | ein | ph | fon | унп | бин | иин | кпп | st\.?-?\.?nr\.?",
    r"inv | check | till",
    r"документ | касса | смена | №",
    r"tax | invoice | receipt | cash | bill | date | time | cashier | e-?mail | roc | reg | id no | table",
    r"order | doc | counter | served | customer | payment | sales | item | qty | description | simplified | staff",
    r"chit | slip | hours? | co\.? ?no | company no | formerly | licensee | owned | member | pos | terminal",
    r"website | welcome | no\.? of | rechnung | quittung | beleg\w* | bon | facture | factura | чек | кассир",
)
REGISTRATION: Final = re.compile(
    r"\s*[\[(]? ?(?:(?i:co\.?|company|roc|reg)\W*(?:(?i:reg)\W*)?(?i:no)?\W*)?"
    r"(?:[A-Z]{2})?\d{4,}[-–] ?[A-Z0-9]{1,2} ?[\])]?\W*$"
    r"|\s*[\[(](?:[A-Z]{2})?\d{4,}[- ]?[A-Z0-9]?[\])]\s*$"
)
"""A company's registration number at the end of a row: `(126926-H)`."""
