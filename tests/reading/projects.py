"""Small project files of other tools."""

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

ROWS = "".join(f"p{n};{20 + n % 4};{'mf'[n % 2]};{'abc'[n % 3]};x{n % 2}\n" for n in range(24))
COLUMNS = {
    "who": "<type>IDENTIFYING_ATTRIBUTE</type>",
    "age": "<type>QUASI_IDENTIFYING_ATTRIBUTE</type><ref>hierarchies/age.csv</ref><min>All</min><max>All</max>",
    "sex": "<type>QUASI_IDENTIFYING_ATTRIBUTE</type><ref>hierarchies/sex.csv</ref><min>All</min><max>All</max>",
    "drug": "<type>SENSITIVE_ATTRIBUTE</type><ref>hierarchies/drug.csv</ref>",
    "site": "<type>INSENSITIVE_ATTRIBUTE</type>",
}
TREES = {
    "age": "20;20-21;*\n21;20-21;*\n22;22-23;*\n23;22-23;*\n",
    "sex": "m;*\nf;*\n",
    "drug": "a;ab;*\nb;ab;*\nc;c;*\n",
}
TEMPLATE = """////////////////////// check columns, vartypes /////////////////////////////

who: false,string
age: true,int,ages
sex: true,string,sexes
drug: true,string

//////////////////// END ////////////////////////////////////////////

/////////////////// set k /////////////////////////////////////

k: 3
"""


def arx_project(
    path: Path,
    criteria: Sequence[str] = ("3-anonymity",),
    *,
    columns: Mapping[str, str] = COLUMNS,
    config: str = "<relativeMaxOutliers>0.0</relativeMaxOutliers>",
    data: bool = True,
    replaced: Mapping[str, str | bytes | None] | None = None,
) -> Path:
    """Write an ARX project. `replaced` maps archive members to new text, or to None to omit them."""
    named = "".join(f"<assigment><name>{name}</name>{text}</assigment>" for name, text in columns.items())
    criteria_xml = "".join(f"<criterion>{text}</criterion>" for text in criteria)
    members: dict[str, str | bytes | None] = {
        "metadata.xml": "<metadata><version>3.9.0</version><vocabulary>2.0</vocabulary></metadata>",
        "project.xml": "<project><name>P</name><separator>;</separator></project>",
        "input/config.xml": f"<config>{config}<criteria>{criteria_xml}</criteria></config>",
        "input/definition.xml": f"<definition>{named}</definition>",
        "data/input.csv": f"{';'.join(COLUMNS)}\n{ROWS}" if data else None,
        **{f"input/hierarchies/{name}.csv": text for name, text in TREES.items()},
        **(replaced or {}),
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in members.items():
            if text is not None:
                archive.writestr(name, text)
    return path
