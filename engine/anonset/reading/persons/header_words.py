"""Derive the meaning of column headers from words for persons, ids, names and sensitive attributes, in six languages.

The languages are English, German, French, Spanish, Italian and Dutch. This module lists all words that identify a
person.

A header is split into words at blanks, punctuation, digits and capitals (``PatientID``), without accents, and with
umlauts as two letters. Compound words (``Versichertennummer``) are split if each part is known.
"""

import re
import unicodedata
from collections.abc import Collection
from functools import cache

_WORDS = {
    "person": "patient patienten patientin patiente patients pat patientes person personen personne persona persoon "
    "subject subj subjekt sujet sujeto soggetto proband probanden probandin member mitglied mitglieder client klient "
    "klienten klientin kunde kunden kundin customer cust user nutzer benutzer usager utilisateur usuario utente "
    "gebruiker insured insuree versicherte versicherter versicherten versichert assure asegurado assicurato "
    "verzekerde beneficiary beneficiaire beneficiario bene desynpuf participant teilnehmer teilnehmerin participante "
    "partecipante deelnemer respondent individual individu individuo klant paciente pacientes paziente pazienti "
    "cliente clienti employee mitarbeiter mitarbeiterin citizen buerger buergerin student schueler schuelerin donor "
    "spender empfaenger recipient enrollee bewohner bewohnerin resident passenger holder voter waehler pupil pupils "
    "schuelers eleve eleves etudiant alumno alumna alumnos estudiante alunno studente leerling learner "
    "kinder enfant nino nina bambino buyer shopper purchaser kaeufer acheteur comprador guest gast tenant mieter "
    "applicant bewerber worker arbeitnehmer angestellter salarie empleado trabajador caller subscriber abonnent "
    "debtor schuldner borrower kreditnehmer taxpayer policyholder rider "
    "usr logon leser leserin leserausweis reader lecteur lector emp buyers sender patron patrons borrowers",
    "number": "id ids uid uuid guid n no nr nro nummer num number numero nb key code index idx kennung kennzahl ident "
    "identifier identifikation identification identifikationsnummer identifiant identificatie identificador "
    "identificativo identificatore schluessel pseudonym pseudo hash token ref reference referenz clave codigo codice "
    "matricule pk barcode strichcode",
    "own number": "pid patid patno patnr mrn nip ipp ssn nhs subjid custid userid empid usubjid empi svnr ahv bsn nir "
    "nss dni nif nie rvnr kvnr "
    "kvnummer egk passport reisepass paspoort passeport pasaporte passaporto personalausweis ausweis personnummer "
    "tckn steuerid curp rfc tin nin cpr pesel",
    "insurance": "krankenversicherung sozialversicherung rentenversicherung versicherung versicherungs insurance "
    "assurance seguro assicurazione verzekering securite sociale seguridad social security tax steuer policy police",
    "case": "case cas caso fall faelle encounter visit visita visite admission hadm stay icustay aufenthalt besuch "
    "episode episodio sejour dossier ingreso ricovero opname contact kontakt behandlung bezoek account acct card "
    "karte akte historia cartella order bestellung bestell auftrag auftrags commande pedido ordine bestelling invoice "
    "rechnung rechnungs facture factura fattura receipt beleg bon transaction transaktion transaccion session ticket "
    "claim trip loan darlehen basket vertrag contract contrat contrato contratto",
    "thing": "ward station abteilung abt dept department service unite reparto sala planta afdeling hospital "
    "krankenhaus klinik klinikum clinic clinique clinica hopital ospedale ziekenhuis physician doctor doc arzt aerzte "
    "aerztin hausarzt medecin medico arts huisarts provider practitioner nurse surgeon operateur chirurg gp npi "
    "product produkt produit producto prodotto artikel article articulo articolo item sku drug medikament medicament "
    "medicamento farmaco geneesmiddel wirkstoff pzn atc ndc icd ops diagnose diagnosis diagnostic diagnostico diagnosi "
    "diag dx procedure prozedur room zimmer bed bett insurer kasse krankenkasse payer plan facility site "
    "center centre zentrum lab labor test file batch study company firma firm org organisation organization store "
    "filiale shop supplier lieferant school schule university brand marke teacher lehrer lehrerin lehrkraft professeur "
    "enseignant profesor maestro docente seller verkaeufer vendeur vendedor cashier kassierer caissier cajero agent "
    "sachbearbeiter sagsbehandler saksbehandler handlaggare caseworker adjuster handler behandler berater author "
    "autor autorin "
    "auteur autore verfasser publisher verlag consultant therapist therapeut merchant haendler course kurs cours curso",
    "name": "name names namen vorname nachname familienname zuname rufname geburtsname maedchenname surname firstname "
    "lastname forename fullname givenname familyname middlename nom noms prenom prenoms nombre nombres apellido "
    "apellidos nome cognome achternaam voornaam familienaam naam roepnaam tussenvoegsel initials "
    "navn fornavn etternavn efternavn namn fornamn foernamn efternamn etunimi sukunimi nazwisko jmeno prijmeni "
    "priezvisko prezime vezeteknev keresztnev soyad soyadi prenume sobrenome",
    "of names": "first last full sur given family maiden middle birth geburt geburts geb naissance nacimiento famille "
    "jeune fille complete completo vor nach familien nick display mother father mutter vater spouse guardian",
    "born": "geb geboren geborene nee geborener ne nata nato",
    "e-mail": "email mail emailadresse courriel correo electronico epost mailadresse",
    "phone": "phone tel telefon telephone telefono telefoon telefonnummer rufnummer handy handynummer festnetz fax "
    "cell cellphone gsm movil cellulare telefax telnr mobile mobil mobilnummer mobiltelefon msisdn whatsapp",
    "IBAN": "iban",
    "account": "konto kontonummer kreditkarte creditcard rekening username login benutzername licence license plate "
    "kennzeichen vin nickname screenname handle loginname accountname kontoinhaber cuenta compte cardnumber imei imsi "
    "iccid mac cookie idfa gaid udid adid deviceid fingerprint matricula",
    "device": "device geraet appareil dispositivo apparaat handset browser",
    "contact": "bic url website homepage",
    "network": "ip ipv4 ipv6",
    "address": "strasse strassen street adresse address addr anschrift wohnadresse rue calle direccion indirizzo "
    "straat adres hausnummer hausnr housenumber domicilio wohnanschrift postanschrift adresszeile",
    "birth": "birth dob birthdate birthday geburtsdatum geburtstag geburtsjahr geburt gebdat gebdatum gebjahr "
    "naissance nacimiento nascita geboorte geboortedatum yob age alter lebensalter edad eta leeftijd ddn",
    "sex": "sex gender geschlecht sexe sexo sesso geslacht geschl m/w w/m m/w/d w/m/d m/f f/m",
    "origin": "race ethnicity ethnic nationality nationalitaet staatsangehoerigkeit staatsang language "
    "muttersprache herkunft origin nationalite nacionalidad nazionalita nationaliteit raza",
    "family": "marital familienstand zivilstand maritalstatus",
    "residence": "zip plz postleitzahl postcode postal wohnort ort city stadt town gemeinde municipality kreis county "
    "state bundesland ville commune comune ciudad municipio woonplaats provincie province provincia zipcode country "
    "land pays pais paese",
    "known": "education educational degree schooling qualification occupation occupational job profession workclass "
    "workplace employment employer industry sector branch department dept ward clinic hospital facility campus school "
    "faculty semester cohort region district borough quarter neighbourhood neighborhood urban rural location place "
    "area territory citizenship tongue relationship household children kids marriage insurer payer specialty "
    "speciality year month weekday season post nat "
    "bildung bildung schulbildung ausbildung abschluss bildungsabschluss schulabschluss beruf berufsgruppe "
    "beschaeftigung taetigkeit arbeitgeber arbeitsort branche abteilung abt station klinik krankenhaus klinikum "
    "standort filiale schule schulform schulart klasse jahrgang jg klassenstufe studiengang fakultaet fachsemester "
    "fachbereich fachabteilung fachrichtung bezirk stadtteil ortsteil stadtviertel viertel landkreis "
    "staatsbuergerschaft haushalt kinder kinderzahl krankenkasse kasse kostentraeger jahr monat quartal wochentag "
    "education diplome etude etudes profession metier emploi departement quartier arrondissement canton kanton hopital "
    "clinique etablissement ecole classe menage enfants lieu annee mois trimestre "
    "educacion estudios ocupacion profesion empleo puesto cargo departamento barrio distrito localidad comunidad "
    "colegio escuela clase hogar hijos idioma lugar ano mes hospital clinica "
    "istruzione occupazione professione lavoro reparto quartiere regione scuola figli luogo anno mese ospedale "
    "opleiding beroep functie afdeling regio wijk buurt klas huishouden kinderen plaats jaar maand ziekenhuis",
    "event": "date datum dat fecha data dates day tag jour dia giorno dag time zeit timestamp when week woche semaine "
    "semana admit admitted adm discharge discharged disch aufnahme entlassung eintritt austritt einstellung entry exit "
    "entree sortie alta arrival departure ankunft anreise abreise enrolment enrollment registration anmeldung hire "
    "hired join joined start begin beginn ende end bis loan return due checkout ausleihe leihe rueckgabe purchase "
    "kauf sale verkauf payment zahlung delivery lieferung booking buchung appointment termin event prescription "
    "rezept verordnung ordonnance receta issue issued created updated recorded from to thru dt clm "
    "entlass ausleih abgabe reading ablesung",
    "around": "group groups grp gruppe band bracket range category categories kategorie kind type typ art class level "
    "lvl niveau nivel stufe status state situation stand at in on am an zum by bei yr yrs years jahre jahren ans anos "
    "anni jaren completed home highest hoechster hoechste current main primary title position description desc "
    "label name size groesse taille count anzahl area ort lieu cat civil etat estado stato medical native own self "
    "reported registered rounded date datum fecha day tag role field mother father wohn dienst cod kennziffer",
    "filler": "of the de du del della di van der des la le el d l internal intern interne external extern anon "
    "anonymous anonym global unique local master main enc encrypted hashed eindeutige research study sk cd",
}
"""Words of headers by meaning, without accents. ``ä`` is written as ``ae``."""
_PLAIN = ("person", "customer", "patient", "kunde", "klant", "paciente", "paziente", "proband", "versicherter")
_DIRECT = ("e-mail", "IBAN", "phone")
PERSON_IDS = ("person id", "id", "case id")
"""Meanings of headers that identify a person, the most reliable first. A case belongs to one person."""
NAMED, ADDRESS = "name", "address"
"""Meanings of headers that name or locate a person."""
ATTRIBUTES = ("birth", "sex", "origin", "family", "residence")
"""Meanings of headers that name a personal attribute."""
_KNOWN = frozenset({*ATTRIBUTES, "known"})
_KNOWN_DATES = frozenset({*_KNOWN, "event", "case", "born"})
_BESIDE_KNOWN = frozenset({"around", "filler", "person", "number", "born", "event", "case"})
"""Meanings of further words in a header that names a known attribute."""
_IDS = frozenset({"id", "ids", "uid", "uuid", "guid"})
_MEANINGS_IN_NAMES = {"name", "of names", "person", "filler"}
_SHORT = 3
_NUMBER_ENDINGS = ("nummer", "number", "nr")
_SAMPLING = re.compile(
    r"wgt|sampling|^pweight|(sample|survey|design|final|replicate|probability|household|base|panel)[^a-z]*weight",
    re.IGNORECASE,
)
_CAPITALS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_BETWEEN = re.compile(r"[^a-z]+")


@cache
def _index() -> dict[str, frozenset[str]]:
    meanings: dict[str, set[str]] = {}
    for meaning, words in _WORDS.items():
        for word in words.split():
            meanings.setdefault(word, set()).add(meaning)
    return {word: frozenset(whats) for word, whats in meanings.items()}


def words_of(header: str) -> tuple[str, ...]:
    """Return the words of a header, in lower case without accents.

    >>> words_of("PatientID"), words_of("Patienten-Nr."), words_of("Straße_2")
    (('patient', 'id'), ('patienten', 'nr'), ('strasse',))
    >>> words_of("Versichertennummer"), words_of("GEBURTSNAME"), words_of("Prénom")
    (('versicherten', 'nummer'), ('geburtsname',), ('prenom',))
    >>> words_of("YoB"), words_of("How old are you?"), words_of("What is your gender?")
    (('yob',), ('age',), ('gender',))
    """
    text = header if header.isascii() else without_accents(header)
    if text.lower() in _index():
        return (text.lower(),)
    words = list(filter(None, _BETWEEN.split(_CAPITALS.sub(" ", text).lower())))
    if "?" in text:
        words = ["age" if word == "old" else word for word in words if word not in _OF_QUESTIONS] or words
    return tuple(part for word in words for part in _cut(word))


_OF_QUESTIONS_WORDS = "what which how is are do does have you your quel quelle est votre wie ist sind ihr"
_OF_QUESTIONS = frozenset(_OF_QUESTIONS_WORDS.split())


def without_accents(text: str) -> str:
    """Return text in ASCII, with umlauts as two letters."""
    text = unicodedata.normalize("NFC", text)
    for letter, instead in (
        ("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("Ä", "Ae"), ("Ö", "Oe"), ("Ü", "Ue"), ("ß", "ss"),
        ("ł", "l"), ("Ł", "L"), ("ø", "o"), ("Ø", "O"),
    ):  # fmt: skip
        text = text.replace(letter, instead)
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()


def _cut(word: str) -> tuple[str, ...]:
    """Return the parts of a compound word if all parts are known. Return other words unchanged."""
    if word in _index():
        return (word,)
    for end in range(len(word) - 2, _SHORT - 1, -1):
        first, remainder = word[:end], word[end:]
        if first not in _index():
            continue
        for rest_of in (remainder, remainder[1:] if remainder[0] in "sn" else ""):
            parts = _cut(rest_of) if rest_of else ()
            if parts and all(part in _index() for part in parts):
                return (first, *parts)
    number = next((end for end in _NUMBER_ENDINGS if word.endswith(end) and len(word) > len(end) + _SHORT), "")
    return (word[: -len(number)], number) if number else (word,)


@cache
def meaning_of(header: str) -> str:
    """Return the personal meaning of a header. Empty if the header has no personal meaning.

    Returns
    -------
    str
        Identifiers are ``person id``, ``case id`` and ``id``. Names and contact data are ``name``, ``e-mail``,
        ``IBAN``, ``phone``, ``account`` (also a user name or a device id), ``address``, ``contact`` and ``born`` (a
        name at birth, or a date). Attributes are ``birth``, ``sex``, ``origin``, ``family`` and ``residence``.
        ``thing`` is a ward, a physician, a product or the like.

    >>> [meaning_of(one) for one in ("patient_id", "Fallnummer", "id", "IdNr", "ward_id", "doctor", "PLZ")]
    ['person id', 'case id', 'id', 'id', 'thing', 'thing', 'residence']
    >>> [meaning_of(one) for one in ("Vorname", "hospital_name", "E-Mail", "Straße", "patient_age", "num_patients")]
    ['name', 'thing', 'e-mail', 'address', 'birth', '']
    """
    words = words_of(header)
    says = [_index().get(word, frozenset()) for word in words]
    kinds = frozenset().union(*says)
    if {"e", "mail"} <= set(words):
        return "e-mail"
    if (direct := next((meaning for meaning in _DIRECT if meaning in kinds), None)) is not None:
        return direct
    are_of_names = "name" in kinds and all(not meanings or meanings & _MEANINGS_IN_NAMES for meanings in says)
    if are_of_names and (all(says) or "of names" in kinds):
        return "name"
    if "address" in kinds and "account" not in kinds:
        return "address"
    if "account" in kinds and not kinds & {"thing", "birth"}:
        return "account"
    if "device" in kinds and kinds & {"number", "own number"}:
        return "account"
    if kinds & {"contact", "network"} and "thing" not in kinds:
        return "network" if "network" in kinds else "contact"
    return _id_kind(words, says) or _attribute_kind(words, kinds)


def _id_kind(words: tuple[str, ...], says: list[frozenset[str]]) -> str:
    """Return the kind of id that a header names. The id may belong to a person, a case or a row."""
    kinds = frozenset().union(*says)
    id_meanings = {"person", "own number", "insurance", "case", "number", "filler"}
    if not says or not all(meanings & id_meanings for meanings in says):
        return ""
    if words[0] in ("number", "num", "nb", "no", "n") and len(words) > 1 and ("of" in words or words[-1] == "patients"):
        return ""
    if "own number" in kinds or (kinds & {"person", "insurance"} and "number" in kinds):
        return "person id"
    if "case" in kinds:
        return "case id" if "number" in kinds else ""
    if "person" in kinds:
        return "person id" if words[-1] in _PLAIN else "id"
    return "id" if set(words) & _ALONE and kinds <= {"number", "filler"} else ""


_ALONE = {"id", "uid", "uuid", "guid", "ident", "identifier", "kennung", "identifiant", "pseudonym", "identificador"}


def _attribute_kind(words: tuple[str, ...], kinds: frozenset[str]) -> str:
    if "born" in kinds:
        return "born" if len(words) == 1 else "birth"
    if "thing" in kinds and "person" not in kinds:
        return "thing"
    return next((attribute for attribute in ATTRIBUTES if attribute in kinds), "")


def is_known(header: str, *, dates: bool = False) -> bool:
    """Return True if a header names an attribute of a person that others know. Each word of the header must have a
    meaning that fits an attribute of a person.

    Parameters
    ----------
    dates
        Whether the values are dates, such as dates of admission.

    >>> [is_known(one) for one in ("patient_age", "Altersgruppe", "marital-status", "Wohnort", "occupation")]
    [True, True, True, True, True]
    >>> [is_known(one) for one in ("sex_partners", "BuT", "support", "medical_equipment", "state of mind", "group")]
    [False, False, False, False, False, False]
    >>> is_known("Aufnahmedatum", dates=True), is_known("Aufnahmedatum"), is_known("HIV test date", dates=True)
    (True, False, False)
    """
    words, known_meanings = words_of(header), _KNOWN_DATES if dates else _KNOWN
    says = [_index().get(word, frozenset()) for word in words]
    return any(meanings & known_meanings for meanings in says) and all(
        len(word) == 1 or meanings & (known_meanings | _BESIDE_KNOWN)
        for word, meanings in zip(words, says, strict=True)
    )


def is_sampling_weight(header: str) -> bool:
    """Return True if a header names a survey weight, which people of the same sex and age share.

    The word weight alone may also mean a body weight.

    >>> is_sampling_weight("fnlwgt"), is_sampling_weight("survey_weight"), is_sampling_weight("weight")
    (True, True, False)
    """
    return _SAMPLING.search(header) is not None


def is_direct(meaning: str) -> bool:
    """Return True if columns with this meaning contain names or contact data of persons."""
    return meaning in (*_DIRECT, "name", "account", "address", "contact", "network", "born")


def are_headers(texts: Collection[str]) -> bool:
    """Return True if the first line of a file certainly contains headers: one text names an id, or two different texts
    name attributes of a person. Texts with digits do not count, because they may be values.

    >>> are_headers(["id", "code", "code"]), are_headers(["age", "sex", "code"]), are_headers(["45", "E10", "E10"])
    (True, True, False)
    >>> are_headers(["student", "teacher", "student"]), are_headers(["Station 3", "Klinik 2"])
    (False, False)
    """
    words = {text for text in texts if not any(map(str.isdigit, text))}
    return any(map(is_identifier, words)) or sum(map(is_known, words)) > 1


def is_numbered(header: str) -> bool:
    """Return True if a header names a number or a key of an unknown kind of thing.

    >>> is_numbered("sample_id"), is_numbered("Halternummer"), is_numbered("ward_id"), is_numbered("id")
    (True, True, False, False)
    """
    words = words_of(header)
    number = any("number" in _index().get(word, ()) for word in words if word not in ("code", "codigo", "codice", "n"))
    return len(words) > 1 and number and not is_about_a_thing(header)


def is_identifier(header: str) -> bool:
    """Return True if a header contains a word for an id, of a person or of anything else.

    >>> is_identifier("sampleId"), is_identifier("guid"), is_identifier("valid"), is_identifier("house_number")
    (True, True, False, False)
    """
    return any(word in _IDS or "own number" in _index().get(word, ()) for word in words_of(header))


def is_about_a_person(header: str) -> bool:
    """Return True if a header names a person of the data, and does not name a ward, a physician, a diagnosis or the
    like.

    >>> is_about_a_person("patron_bc"), is_about_a_person("patient_diagnosis"), is_about_a_person("code")
    (True, False, False)
    """
    kinds = frozenset[str]().union(*(_index().get(word, frozenset()) for word in words_of(header)))
    return "person" in kinds and "thing" not in kinds


def is_about_a_thing(header: str) -> bool:
    """Return True if a header names a ward, a physician, a shop or the like, and does not name a person of the data.

    >>> is_about_a_thing("hospital_phone"), is_about_a_thing("patient_phone"), is_about_a_thing("E-Mail")
    (True, False, False)
    """
    kinds = frozenset[str]().union(*(_index().get(word, frozenset()) for word in words_of(header)))
    return "thing" in kinds and "person" not in kinds
