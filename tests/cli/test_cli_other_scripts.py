"""Names and free text in languages without a word list are not published."""

import random

import pytest

import anonset
from anonset.columns.personal_values import are_names, are_sentences
from anonset.personal_text import hidden
from cli.place import Place

GREEK = (
    ["Παπαδόπουλος", "Οικονόμου", "Δημητρίου", "Νικολάου", "Γεωργίου", "Ιωάννου"],
    ["Γιάννης", "Ελένη", "Μαρία", "Κώστας", "Άννα", "Νίκος"],
)
JAPANESE = (["中村", "加藤", "山田", "小林", "伊藤"], ["大輔", "翔", "恵子", "拓也", "愛"])

ARABIC = (
    ["الشهري", "العتيبي", "القحطاني", "الحربي", "الغامدي", "الزهراني"],
    ["أحمد", "خديجة", "محمد", "فاطمة", "علي", "سارة"],
)
CHINESE = (["王", "李", "张", "刘", "陈", "杨"], ["伟", "芳", "娜", "秀英", "敏", "静", "丽", "强"])
GEORGIAN = (
    ["ლომიძე", "ბერიძე", "კაპანაძე", "გელაშვილი", "მაისურაძე"],
    ["გიორგი", "ნინო", "დავით", "მარიამ", "ლევან", "თამარ"],
)
HINDI = (["मिश्रा", "शर्मा", "वर्मा", "गुप्ता", "सिंह", "यादव"], ["सीता", "राम", "गीता", "मोहन", "अनिल", "सुनीता"])
RUSSIAN = (
    ["Иванов", "Петров", "Сидоров", "Орлов", "Волков", "Зайцев"],
    ["А.В.", "И.П.", "С.А.", "М.Д.", "О.Н.", "В.В."],
)


def full_names(words: tuple[list[str], list[str]], blank: str) -> list[str]:
    return [f"{first}{blank}{second}" for first in words[0] for second in words[1]]


@pytest.mark.parametrize(
    ("words", "blank"),
    [(GREEK, " "), (JAPANESE, "　"), (ARABIC, " "), (GEORGIAN, " "), (HINDI, " "), (CHINESE, ""), (RUSSIAN, " ")],
)
def test_names_in_other_scripts_are_dropped_and_stop_a_publication(
    place: Place, words: tuple[list[str], list[str]], blank: str
) -> None:
    names, source = full_names(words, blank), random.Random(1)
    lines = [f"{source.choice('ΑΒ')},{source.choice(names)}" for _ in range(900)]
    data = place.write("data.csv", "\n".join(["α,β", *lines, ""]))
    assert anonset.inspect(data, relational="α", unit="row").columns[1].role == "drop"
    run = [
        "anonymize",
        data,
        "-o",
        str(place.out),
        "--model",
        "k",
        "--k",
        "5",
        "--relational",
        "α,β",
        "--unit",
        "row",
    ]
    ran = place.run(*run)
    assert ran.code == 2, ran.out
    assert not any(name in ran.err for name in names)


def test_messages_hide_names_in_scripts_with_capitals_or_blanks() -> None:
    assert all(map(hidden, [*full_names(GREEK, " "), *full_names(JAPANESE, "　")]))


def test_a_message_hides_all_labels_of_a_column_of_names(place: Place) -> None:
    names, source = full_names(CHINESE, ""), random.Random(3)
    data = place.write("data.csv", "α,β\n" + "".join(f"{n % 2},{source.choice(names)}\n" for n in range(900)))
    tree = place.write("tree.csv", "a,any\n")
    run = ["anonymize", data, "-o", str(place.out), "--relational", "α,β", "--model", "k", "--k", "5"]
    ran = place.run(*run, "--unit", "row", "--publish-as-is", "β", "--hierarchy", f"β={tree}")
    assert (ran.code, "48 labels of the data are not leaves: hidden" in ran.err) == (2, True), ran.err
    assert not any(name in ran.err for name in names)


def test_towns_and_subjects_in_other_scripts_are_no_names() -> None:
    assert not are_names(["Νέα Ελληνικά", "Βιολογία", "Άγιος Νικόλαος", "Αθήνα", "Πάτρα", "Μαθηματικά"] * 8)
    assert not are_names(["東京都", "大阪府", "北海道", "京都府", "福岡県"])
    first, last = "东西南北中上下新老大小长", "山河江海阳"
    assert not are_names([f"{one}{other}区" for one in first for other in last])


def test_sentences_in_other_languages_are_free_text() -> None:
    people = full_names(GREEK, " ")
    remarks = [f"ο μαθητής {name} χρειάζεται στήριξη στο μάθημα αυτό" for name in people]
    assert are_sentences(remarks)
    assert not are_sentences([f"{name} Οδός {number} Πάτρα Αχαΐα" for number, name in enumerate(people)])


def test_words_of_sentences_do_not_become_items(place: Place) -> None:
    people = full_names(GREEK, " ")
    lines = [f"{n % 2},ο μαθητής {people[n % 36]} χρειάζεται στήριξη στο μάθημα αυτό" for n in range(400)]
    data = place.write("data.csv", "\n".join(["α,β", *lines, ""]))
    model = ["--model", "kkm", "--k", "5", "--m", "1", "--hierarchy", "β=halves:frequency"]
    ran = place.run(
        "anonymize", data, "-o", str(place.out), "--items", "β", "--relational", "α", "--unit", "row", *model
    )
    assert (ran.code, "free text" in ran.err, "--drop" in ran.err) == (2, True, True), ran.out


@pytest.mark.long
def test_a_key_is_offered_before_names_and_dates_are_never_offered(place: Place) -> None:
    names, source = full_names(JAPANESE, "　"), random.Random(2)
    people = [
        (source.choice(names), f"19{50 + n % 40}/0{1 + n % 9}/{10 + n % 19}", source.choice("男女")) for n in range(300)
    ]
    lines = [f"K{1000 + n % 300},{','.join(people[n % 300])},{n % 7}" for n in range(1200)]
    data = place.write("data.csv", "\n".join(["番号,氏名,生年月日,性別,値", ",,年/月/日,,", *lines, ""]))
    question = anonset.inspect(data, relational="性別").question
    assert question is not None
    units = [one.unit for one in question.answers]
    assert (units[0], units[-2:]) == (("番号",), [("row",), ("unknown",)])
    assert not any("生年月日" in unit for unit in units)


def test_names_and_a_date_of_birth_are_offered_together(place: Place) -> None:
    names, source = ["Hansen", "Olsen", "Larsen", "Berg", "Dahl", "Lie"], random.Random(4)
    pupils = [
        (source.choice(names), source.choice(["Anna", "Maria", "Peter", "Thomas"]), 10 + n % 19) for n in range(90)
    ]
    lines = [
        f"{last};{first};{day}.0{1 + n % 9}.201{n % 6};{'JG'[n % 2]};{1 + (n * 7) % 28}.03.2024"
        for n, (last, first, day) in enumerate(pupils * 12)
    ]
    data = place.write("data.csv", "\n".join(["Etternavn;Fornavn;Geburtsdatum;Kjønn;Dato", *lines, ""]))
    question = anonset.inspect(data, relational="Kjønn").question
    assert question is not None
    assert question.answers[0].unit == ("Etternavn", "Fornavn", "Geburtsdatum")


WORDS = ["βοήθεια", "μάθημα", "σχολείο", "ανάγνωση", "μαθηματικά", "γραφή", "ομάδα", "πρόοδος", "στήριξη", "χρόνος"]
RARE = [f"{first} {second}" for first in WORDS for second in WORDS if first != second]


def remarks(place: Place) -> str:
    """Return a file with a remark of a single person in one of twenty rows."""
    lines = [f"{'ΑΒ'[n % 2]},{RARE[n // 20 % 90] if n % 20 == 0 else ''},{1 + n % 9}" for n in range(1_200)]
    return place.write("data.csv", "\n".join(["α,β,γ", *lines, ""]))


MODEL = ("--model", "k", "--k", "5", "--unit", "row", "--drop", "γ")


@pytest.mark.long
def test_texts_that_belong_to_few_persons_are_published_only_by_declaration(place: Place) -> None:
    run = ["anonymize", remarks(place), "-o", str(place.out), "--relational", "α,β", *MODEL]
    ran = place.run(*run)
    assert (ran.code, "'β'" in ran.err, place.out.exists()) == (2, True, False), ran.out
    assert "--drop 'β'" in ran.err
    assert not any(remark in ran.err for remark in RARE)
    assert place.run(*run, "--publish-as-is", "β").code == 0


def test_texts_that_belong_to_few_persons_are_not_in_a_printed_command(place: Place) -> None:
    ran = place.run(
        "anonymize", remarks(place), "-o", str(place.out), "--relational", "α,β", "--model", "k", "--k", "5"
    )
    commands = [line for line in ran.err.splitlines() if "complete command" in line]
    assert commands
    assert not any("--relational α,β" in line or "--items β" in line for line in commands)


def test_messages_hide_texts_that_belong_to_few_persons(place: Place) -> None:
    tree = place.write("tree.csv", "βοήθεια,any\n")
    run = ["anonymize", remarks(place), "-o", str(place.out), "--relational", "α,β", *MODEL]
    ran = place.run(*run, "--hierarchy", f"β={tree}")
    assert (ran.code, "labels of the data are not leaves: hidden" in ran.err) == (2, True), ran.err
    assert not any(remark in ran.err for remark in RARE)


def test_towns_with_some_small_ones_are_published(place: Place) -> None:
    source = random.Random(5)
    towns = [
        f"{first}{second}" for first in ("Άγιος", "Νέα", "Παλαιό") for second in ("πολη", "χωρι", "καστρο", "νησι")
    ]
    small = [f"Μικρή{town}" for town in towns]
    lines = [f"{'ΑΒ'[n % 2]},{source.choice(towns if n % 50 else small)},1" for n in range(1_200)]
    data = place.write("data.csv", "\n".join(["α,β,γ", *lines, ""]))
    ran = place.run("anonymize", data, "-o", str(place.out), "--relational", "α,β", *MODEL)
    assert ran.code == 0, ran.err
