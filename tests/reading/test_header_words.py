"""Column names that identify persons are recognized in six languages and in all spellings."""

import pytest

from anonset.reading.persons.header_topics import is_quantity, is_sensitive
from anonset.reading.persons.header_words import is_direct, is_identifier, is_sampling_weight, meaning_of, words_of

HEADERS = {
    "person id": "patient_id PatientID PATIENTID patientId Patienten-Nr. PatNr Patientennummer patient_index person_id "
    "Versichertennr. Versichertennummer Krankenversicherungsnummer pid MRN SSN nhs_number DESYNPUF_ID id_paciente "
    "codice_paziente Kundennr customer_no KundenNr. patient Patientenidentifikationsnummer numéro_patient klant_nr "
    "AHV-Nummer codigo_paciente subject_id",
    "case id": "Fallnummer case_id encounter_id visit_id hadm_id stay_id FallNr. Fall-Nr",
    "id": "id ID uuid subject",
    "name": "name Name NAME Vorname Nachname Geburtsname surname first_name LastName full_name patient_name "
    "Patientenname nom prénom apellido1 nombre nome cognome voornaam achternaam maiden_name",
    "e-mail": "E-Mail email e_mail Email-Adresse courriel",
    "phone": "Telefon Tel. phone Telefonnr phone_number Handy teléfono téléphone",
    "IBAN": "IBAN iban",
    "address": "Straße Strasse STRASSE address Adresse Hausnr. calle Anschrift indirizzo",
    "born": "geb. Geb née",
    "birth": "birth_date Geburtsdatum age Alter patient_age dob date_of_birth GebDat age_group fecha_nacimiento",
    "sex": "sex Geschlecht sexe patient_sex Gender sex_code geslacht",
    "residence": "PLZ zip postcode Wohnort city",
    "thing": "doctor ward ward_id doctor_id physician_no product_id hospital_name drug_name Station Arzt Ärztin-Nr. "
    "station_name provider_id product_code",
    "": "num_patients number_of_patients codes visits percentage dosage wgt costs month admission_type_id village",
}


@pytest.mark.parametrize(
    ("meaning", "header"), [(what, word) for what, all_ in HEADERS.items() for word in all_.split()]
)
def test_headers_classify_their_columns(meaning, header):
    assert meaning_of(header) == meaning


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


SURVEY = "fnlwgt PWGTP wgt sampling_weight sample_weight SurveyWeight design_weight final_weight pweight"


@pytest.mark.parametrize("header", SURVEY.split())
def test_weights_of_surveys_are_sampling_weights(header: str) -> None:
    assert is_sampling_weight(header)


@pytest.mark.parametrize("header", ["weight", "Weight", "body_weight", "birthweight", "weight_kg", "patient_weight"])
def test_weights_of_bodies_are_quantities(header: str) -> None:
    assert not is_sampling_weight(header)
    assert is_quantity(header)
