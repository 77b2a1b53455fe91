"""Column names that identify persons are recognized in many languages and scripts, and in all spellings."""

import subprocess
import sys

import pytest

from anonset.columns.headers import (
    is_about,
    is_direct,
    is_identifier,
    is_known,
    is_sensitive,
    meaning_of,
    names_items,
    words_of,
)
from anonset.columns.profiles import Profile
from anonset.columns.rules import propose
from anonset.columns.words import MEANINGS, vocabulary, word_meanings, words_about

HEADERS = {
    "person id": "patient_id PatientID PATIENTID patientId Patienten-Nr. PatNr Patientennummer patient_index person_id "
    "Versichertennr. Versichertennummer Krankenversicherungsnummer pid MRN SSN nhs_number DESYNPUF_ID id_paciente "
    "codice_paziente Kundennr customer_no KundenNr. patient Patientenidentifikationsnummer numéro_patient klant_nr "
    "AHV-Nummer codigo_paciente subject_id Pers.-Nr. PersNr CALLING_NUM",
    "case id": "Fallnummer case_id encounter_id visit_id hadm_id stay_id FallNr. Fall-Nr",
    "id": "id ID uuid subject",
    "name": "name Name NAME Vorname Nachname Geburtsname surname first_name LastName full_name patient_name "
    "Patientenname nom prénom apellido1 nombre nome cognome voornaam achternaam maiden_name",
    "e-mail": "E-Mail email e_mail Email-Adresse courriel",
    "phone": "Cellphone cell_phone Telefon Tel. phone Telefonnr phone_number Handy teléfono téléphone",
    "IBAN": "IBAN iban",
    "address": "Straße Strasse STRASSE address Adresse Hausnr. calle Anschrift indirizzo",
    "born": "geb. Geb née",
    "birth": "birth_date Geburtsdatum age Alter patient_age dob date_of_birth GebDat age_group fecha_nacimiento F_NAC",
    "sex": "sex Geschlecht sexe patient_sex Gender sex_code geslacht",
    "residence": "PLZ zip postcode Wohnort city",
    "thing": "doctor ward ward_id doctor_id physician_no product_id hospital_name drug_name Station Arzt Ärztin-Nr. "
    "station_name provider_id product_code CELL_ID cellId",
    "network": "IP ip_address IPAddress client-ip",
    "": "pageUrl "
    "num_patients number_of_patients codes visits percentage dosage wgt costs month admission_type_id village",
}


@pytest.mark.parametrize(
    ("meaning", "header"), [(what, word) for what, all_ in HEADERS.items() for word in all_.split()]
)
def test_headers_classify_their_columns(meaning, header):
    assert meaning_of(header) == meaning


@pytest.mark.parametrize("meaning", ["person id", "case id"])
def test_columns_of_persons_and_cases_are_dropped_even_if_few_values_differ(meaning):
    for header in HEADERS[meaning].split():
        column = Profile("text", name=header, records=1000, distinct=30)
        assert propose([column], lambda name: name)[header].role == "drop"


@pytest.mark.parametrize("header", ["Straße", "Strasse", "STRASSE", "strasse"])
def test_spellings_of_an_umlaut_are_one_word(header):
    assert words_of(header) == ("strasse",)


@pytest.mark.parametrize("header", ["Ärztin", "Aerztin", "A\u0308rztin", "aerztin"])
def test_composed_and_decomposed_letters_are_one_word(header):
    assert words_of(header) == ("aerztin",)


def test_a_header_may_be_anything():
    assert [meaning_of(text) for text in ("", " ", "1", "\0", "§$%", "日本", "x" * 3_000)] == [""] * 7


@pytest.mark.parametrize("header", ["platelets", "template", "automobile", "valid", "paid", "nickel"])
def test_headers_that_contain_keywords_as_substrings_are_ignored(header: str) -> None:
    assert (meaning_of(header), is_identifier(header)) == ("", False)


@pytest.mark.parametrize("header", ["next_of_kin_last_name", "mother_name", "mobile", "customer_email_hash"])
def test_headers_with_name_or_contact_words_are_recognized(header: str) -> None:
    assert is_direct(meaning_of(header))


@pytest.mark.parametrize("header", ["sampleId", "row_guid", "PID"])
def test_headers_with_a_word_for_an_id_are_identifiers(header: str) -> None:
    assert is_identifier(header)


GRADES = (
    "Notenschnitt Notendurchschnitt Notenpunkte Notenmittel Notenwert Abschlussnote Endnoten gradepoint GradeAverage"
)


@pytest.mark.parametrize("header", GRADES.split())
def test_compounds_of_grades_are_sensitive(header: str) -> None:
    assert is_sensitive(header)


@pytest.mark.parametrize("header", ["notebook", "Notenum", "upgrade", "Notaufnahme", "footnotes"])
def test_words_with_the_prefix_or_suffix_of_grades_are_not_sensitive(header: str) -> None:
    assert not is_sensitive(header)


SURVEY = "fnlwgt PWGTP WGTP wgt sampling_weight sample_weight SurveyWeight pweight"


@pytest.mark.parametrize("header", SURVEY.split())
def test_weights_of_surveys_are_quantities(header: str) -> None:
    assert is_about(header, "quantities")


@pytest.mark.parametrize("header", ["weight", "Weight", "body_weight", "birthweight", "weight_kg", "patient_weight"])
def test_weights_of_bodies_are_quantities(header: str) -> None:
    assert is_about(header, "quantities")


KNOWN = {
    "pt": "Sexo;Estado civil;Município;Escolaridade;Faixa etária;Raça/cor",
    "pl": "Płeć;Wiek;Kod pocztowy;Województwo;Stan cywilny;Wykształcenie",
    "tr": "Cinsiyet;CINSIYET;Doğum Yılı;İlçe;MEDENI_HALI;Eğitim durumu;Yaş grubu",
    "ru": "Пол;Возраст;Семейное положение;Регион;Образование;ВозрастнаяГруппа;Год рождения",
    "el": "Φύλο;ΗΛΙΚΙΑ;Τ.Κ.;Δήμος;Οικογενειακή κατάσταση;Επάγγελμα",
    "ar": "الجنس;الجنسية;العمر;المدينة;الحالة الاجتماعية;المستوى التعليمي;فئة العمر",
    "he": "מין;גיל;יישוב;מצב משפחתי;השכלה;שנת לידה",
    "hi": "लिंग;आयु;ज़िला;जिला;वैवाहिक स्थिति;शिक्षा;गाँव/शहर",
    "ja": "性別;年齢;郵便番号;都道府県;加入者性別;最終学歴;職業コード",
    "zh": "性别;性別;年龄段;婚姻状况;婚姻狀況;职业;您的性别;郵遞區號",
    "ko": "성별;연령대코드;시군구;우편번호;결혼상태;최종학력;성별 코드",
    "vi": "Giới tính;GIOI_TINH;Năm sinh;Tỉnh/Thành phố;Tình trạng hôn nhân;Nghề nghiệp;Dân tộc",
    "sv": "Kön;KON;Ålder;Postnummer;Civilstånd;Utbildningsnivå;Åldersgrupp",
    "da": "Køn;Alder;Postnr;Civilstand;Uddannelse;Kommune",
    "no": "Kjønn;KJOENN;Alder;Fylke;Sivilstatus;Utdanning",
    "fi": "Sukupuoli;Ikä;IKA;Postinumero;Siviilisääty;Koulutus;Kunta",
    "cs": "Pohlaví;Věk;PSČ;Obec;Rodinný stav;Vzdělání",
    "hu": "Nem;Életkor;Irányítószám;Megye;Családi állapot;Iskolai végzettség",
    "ro": "Sexul;Vârsta;Județ;Localitate;Stare civilă;Studii",
}


@pytest.mark.parametrize("header", [header for several in KNOWN.values() for header in several.split(";")])
def test_attributes_are_known_in_each_language(header: str) -> None:
    assert is_known(header)
    assert not is_sensitive(header)


PERSONS = (
    "CPF;PESEL;Kod klienta;TC_KIMLIK_NO;Müşteri No;ИНН;Номер пациента;ΑΜΚΑ;Αρ. Μητρώου;رقم الهوية;رقم المريض;מספר זהות;"
    "ת.ז.;आधार संख्या;रोगी संख्या;患者番号;会員ID;身份证号码;病歷號;환자번호;주민등록번호;Mã khách hàng;MA_THE_BHYT;"
    "personnummer;CPR-nummer;fødselsnummer;henkilötunnus;Rodné číslo;TAJ szám;CNP"
)
NAMES = (
    "Nome completo;Imię i nazwisko;Adı Soyadı;ФИО;Фамилия пациента;Ονοματεπώνυμο;اسم المريض;שם משפחה;रोगी का नाम;氏名;"
    "患者氏名;姓名;환자명;Họ và tên;HO_TEN;Förnamn;Efternavn;Etternavn;Sukunimi;Příjmení;Vezetéknév;Nume și prenume"
)
SENSITIVE = (
    "Diagnóstico;Rozpoznanie;Gelir;Диагноз основной;Заработная зарплата;Διάγνωση;الراتب;ציון אנגלית;मासिक आय;検査結果;"
    "年収;收入水平;成绩;진단명;소득;Thu nhập;Sjukdom;Indkomst;Inntekt;Palkka;Onemocnění;Jövedelem;Salariul;Religia"
)


@pytest.mark.parametrize("header", PERSONS.split(";"))
def test_ids_of_persons_are_recognized_in_each_language(header: str) -> None:
    assert meaning_of(header) == "person id"


@pytest.mark.parametrize("header", NAMES.split(";"))
def test_names_are_direct_identifiers_in_each_language(header: str) -> None:
    assert meaning_of(header) == "name"


@pytest.mark.parametrize("header", SENSITIVE.split(";"))
def test_sensitive_headers_are_no_known_attributes_in_each_language(header: str) -> None:
    assert is_sensitive(header)


@pytest.mark.parametrize(
    "header", ["Телефон", "هاتف", "電話番号", "手机号码", "휴대폰", "Điện thoại", "טלפון נייד", "मोबाइल"]
)
def test_telephones_are_recognized_in_each_script(header: str) -> None:
    assert meaning_of(header) == "phone"


@pytest.mark.parametrize(
    "header", ["Uwagi", "Примечание", "ملاحظات", "הערות", "टिप्पणी", "備考", "备注", "비고", "Ghi chú"]
)
def test_remarks_are_recognized_in_each_language(header: str) -> None:
    assert is_about(header, "remarks")


@pytest.mark.parametrize(
    "header", ["Товар", "المنتجات", "מוצרים", "商品名", "药品名称", "상품명", "Sản phẩm", "Ürün Adı"]
)
def test_products_are_recognized_in_each_language(header: str) -> None:
    assert is_about(header, "products")
    assert names_items(header)


def test_headers_without_blanks_are_split_into_known_words() -> None:
    assert words_of("患者区分") == words_of("患者 区分") == ("患者", "区分")
    assert words_of("未知のコード")[-1] == "コード"
    assert words_of("ABC患者ID") == ("abc", "患者", "id")


def test_an_unknown_part_of_a_header_without_blanks_is_not_ignored() -> None:
    assert is_known("性別")
    assert not is_known("医性別")


@pytest.mark.parametrize(
    ("header", "same"), [("الجِنسيّة", "جنسيه"), ("ΗΛΙΚΊΑ", "ηλικια"), ("ﾃﾝﾜ", "テンワ"), ("ѐ", "е")]
)
def test_variants_of_letters_are_one_word(header: str, same: str) -> None:
    assert words_of(header) == words_of(same)


def test_word_files_contain_words_of_known_topics() -> None:
    assert set(MEANINGS) <= {meaning for meanings in word_meanings().values() for meaning in meanings}
    assert all(word == word.strip().casefold() for word in vocabulary())
    assert not words_about("no topic")


def test_words_are_not_loaded_by_the_import() -> None:
    code = "import sys, anonset, anonset.cli.main; print('anonset.columns.words' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"


def test_only_the_beginning_of_a_long_header_is_judged():
    assert sum(map(len, words_of("patient" * 50_000))) <= 300
    assert words_of("patient id " + "x" * 100_000)[:2] == ("patient", "id")


@pytest.mark.parametrize(
    "header",
    [
        "D.O.B.",
        "Date of Birth (DD/MM/YYYY)",
        "Geburtsdatum (TT.MM.JJJJ)",
        "F. nacimiento (DD/MM/AAAA)",
        "DOB yyyy-mm-dd",
    ],
)
def test_a_date_format_in_a_header_says_nothing_else(header):
    assert (meaning_of(header), is_known(header)) == ("birth", True)
