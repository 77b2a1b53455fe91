"""Steps for the baskets of Ta-Feng, Online Retail and Complete Journey."""

import re
from collections import Counter, defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.originals.formats import label, lines_of_sets, r_data, rows_in_zip, table

_Rows = list[dict[str, str]]


def ta_feng(file: Path) -> dict[str, str]:
    """Return the files and taxonomies of Ta-Feng. A basket contains the purchases of a customer in a day."""
    rows = rows_in_zip(file, ".csv")
    baskets: dict[tuple[str, str], _Rows] = defaultdict(list)
    customers: dict[str, _Rows] = defaultdict(list)
    for row in rows:
        baskets[row["TRANSACTION_DT"], row["CUSTOMER_ID"]].append(row)
        customers[row["CUSTOMER_ID"]].append(row)
    return {
        "transactions/tafeng_subclass.dat": lines_of_sets(
            _column(rows, "PRODUCT_SUBCLASS") for rows in baskets.values()
        ),
        "rt/tafeng_baskets_rt.csv": table(
            ["month", "age_group", "pin_code", "n_products", "sales_total", "products"],
            [_basket(rows) for rows in baskets.values()],
        ),
        "rt/tafeng_customers_rt.csv": table(
            ["age_group", "pin_code", "n_visits", "product_subclasses"],
            [_customer(rows) for rows in customers.values()],
        ),
        "taxonomies/tafeng_product_taxonomy.csv": _products(rows),
        "taxonomies/tafeng_subclass_taxonomy.csv": table(
            ["leaf", "subclass_prefix4", "subclass_prefix2", "root"],
            [[code, *_prefixes(code)] for code in sorted({row["PRODUCT_SUBCLASS"] for row in rows})],
        ),
    }


def _column(rows: _Rows, name: str) -> list[str]:
    return list(dict.fromkeys(row[name] for row in rows))


def _basket(rows: _Rows) -> list[Any]:
    first, products = rows[0], _column(rows, "PRODUCT_ID")
    month, _, year = first["TRANSACTION_DT"].split("/")
    total = sum(int(row["SALES_PRICE"]) for row in rows)
    return [
        f"{year}-{int(month):02}",
        first["AGE_GROUP"] or "?",
        first["PIN_CODE"],
        len(products),
        total,
        " ".join(products),
    ]


def _customer(rows: _Rows) -> list[Any]:
    visits = len(set(_column(rows, "TRANSACTION_DT")))
    return [rows[0]["AGE_GROUP"] or "?", rows[0]["PIN_CODE"], visits, " ".join(_column(rows, "PRODUCT_SUBCLASS"))]


def _products(rows: _Rows) -> str:
    """Return the taxonomy of the products. The parent is the most frequent subclass, or the first of these."""
    subclasses: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        subclasses[row["PRODUCT_ID"]][row["PRODUCT_SUBCLASS"]] += 1
    parents = {product: counts.most_common(1)[0][0] for product, counts in subclasses.items()}
    return table(
        ["leaf", "subclass", "subclass_prefix4", "subclass_prefix2", "root"],
        [[product, f"SUB_{parents[product]}", *_prefixes(parents[product])] for product in sorted(parents)],
    )


def _prefixes(code: str) -> tuple[str, str, str]:
    return f"D4_{code[:4]}", f"D2_{code[:2]}", "ALL"


def online_retail(file: Path) -> str:
    """Return the invoices of Online Retail. Cancellations, and items that are not products, are removed."""
    sold: Any = r_data(file)["onlineretail"]
    invoices: dict[str, list[Any]] = defaultdict(list)
    for row in sold.itertuples(index=False):
        if not str(row.InvoiceNo).startswith("C") and row.Quantity > 0 and _PRODUCT.fullmatch(str(row.StockCode)):
            invoices[row.InvoiceNo].append(row)
    return table(
        ["country", "month", "weekday", "hour", "invoice_value", "stock_codes"], map(_invoice, invoices.values())
    )


_PRODUCT = re.compile(r"\d{5}[A-Za-z]*")
"""Stock code of a product. Other codes are postage, fees and corrections."""


def _invoice(rows: list[Any]) -> list[Any]:
    first, value = rows[0], round(sum(row.Quantity * row.UnitPrice for row in rows), 2)
    at = datetime.fromtimestamp(first.InvoiceDate, UTC)
    codes = dict.fromkeys(str(row.StockCode).upper() for row in rows)
    return [first.Country, f"{at:%Y-%m}", f"{at:%a}", at.hour, float(value), " ".join(codes)]


def complete_journey(folder: Path) -> dict[str, str]:
    """Return the households of Complete Journey with all their purchases, and the taxonomy of the products."""
    bought: Any = r_data(folder / "transactions_sample.rda")["transactions_sample"]
    persons: Any = r_data(folder / "demographics.rda")["demographics"]
    columns = ["age", "income", "home_ownership", "marital_status", "household_size", "household_comp", "kids_count"]
    known = {
        str(row["household_id"]): ["?" if _is_null(row[name]) else row[name] for name in columns]
        for row in persons.to_dict("records")
    }
    households: dict[str, list[str]] = defaultdict(list)
    for household, product in zip(bought["household_id"], bought["product_id"], strict=True):
        households[str(household)].append(str(product))
    rows = [
        [*known.get(household, ["?"] * len(columns)), " ".join(dict.fromkeys(products))]
        for household, products in households.items()
    ]
    products: Any = r_data(folder / "products.rda")["products"]
    return {
        "rt/completejourney_households_rt.csv": table([*columns, "products"], rows),
        "taxonomies/completejourney_product_taxonomy.csv": _of_products(products, set(map(str, bought["product_id"]))),
    }


def _of_products(products: Any, bought: set[str]) -> str:
    """Return the taxonomy of the products that were bought. Unknown levels are named UNKNOWN."""
    known = {str(row["product_id"]): row for row in products.to_dict("records")}
    rows = []
    for product in sorted(bought):
        levels = known.get(product, {})
        names = [_level(levels.get(name)) for name in ("department", "product_category", "product_type")]
        department, category, kind = (f"{p}_{'|'.join(names[:i])}" for i, p in enumerate("DCT", 1))
        rows.append([product, kind, category, department, "ALL"])
    return table(["leaf", "product_type", "product_category", "department", "root"], rows)


def _level(text: Any) -> str:
    return "UNKNOWN" if _is_null(text) else label(str(text))


def _is_null(value: Any) -> bool:
    return value is None or value != value or str(value) in ("", "nan", "<NA>")
