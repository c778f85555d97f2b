"""Who sold, and where, is told from titles, numbers and slogans around it."""

import pytest

from tests.support.text_slips import read


@pytest.mark.parametrize(
    ("slip", "name", "address"),
    [
        (
            (
                "Kedai Buku Melati (Taman Seri) Sdn Bhd\n789417-W\nNo.53 55,57 & 59, Jalan Sagu 18,\n"
                "81100 Johor Bahru,\nJohor."
            ),
            "Kedai Buku Melati (Taman Seri) Sdn Bhd",
            "No.53 55,57 & 59, Jalan Sagu 18, 81100 Johor Bahru, Johor.",
        ),
        ("TAX INVOICE\nHARBOUR TOOLS LTD\n4 Quay Road", "HARBOUR TOOLS LTD", "4 Quay Road"),
        ("MELATI CO. (M) BHD (126926-H)\nLot 6, Jalan Batai\nTel 03-555", "MELATI CO. (M) BHD", "Lot 6, Jalan Batai"),
        (
            "MELATI HARDWARE ENTERPRISE (SETIA\nALAM) SDN BHD\n12 Jalan Setia",
            "MELATI HARDWARE ENTERPRISE (SETIA ALAM) SDN BHD",
            "12 Jalan Setia",
        ),
        (
            "HARBOUR TOOLS\nENTERPRISE (SETIA\nALAM) SDN BHU\n822737-X\n12 Jalan Setia",
            "HARBOUR TOOLS ENTERPRISE (SETIA ALAM) SDN BHD",
            "12 Jalan Setia",
        ),
        (
            "WESTERN HARBOUR\nSTATIONERY SDN.BHD\n12 Jalan Setia",
            "WESTERN HARBOUR STATIONERY SDN.BHD",
            "12 Jalan Setia",
        ),
        ("HARBOUR TOOLS\nBISTRO & CAFE\n12 Jalan Setia", "HARBOUR TOOLS", "12 Jalan Setia"),
        ("#000002 MELATI TOOLS SON. BHD.LL\n12 Jalan Setia", "MELATI TOOLS SDN BHD", "12 Jalan Setia"),
        ("MELATI MART 5/B\n12 Jalan Setia", "MELATI MART S/B", "12 Jalan Setia"),
        ("HARBOUR TOOLS &\nHARDWARE\n4 Quay Road", "HARBOUR TOOLS & HARDWARE", "4 Quay Road"),
        ("Melati Trading Sdn Bhd\nJIn PJU 1A/3, 47301\nTEL:03-78", "Melati Trading Sdn Bhd", "Jln PJU 1A/3, 47301"),
    ],
)
def test_name_and_address_are_told_apart(slip, name, address):
    receipt = read(slip + "\nTOTAL  1.00")
    assert receipt.merchant.value == name
    assert receipt.address.value == address
