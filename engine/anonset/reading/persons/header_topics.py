"""Detect the topic of a column by its header: sensitive attributes, remarks, quantities, products and school subjects.

Words are listed in the languages of `header_words`, without accents.
"""

from anonset.reading.persons.header_words import words_of

_SENSITIVE_WORDS = (
    "income incomes salary salaries wage wages earnings payroll debt debts wealth assets bankrupt bankruptcy overdue "
    "default delinquent arrears disease diseases diagnosis diagnoses diagnose condition comorbidity illness disorder "
    "symptom symptoms syndrome hiv aids std hepatitis tuberculosis cancer tumor tumour diabetes asthma hypertension "
    "depression epilepsy dementia stroke covid pregnant pregnancy abortion miscarriage disability disabled handicap "
    "handicapped psychiatric addiction alcohol alcoholism smoker smoking drinker result results finding findings "
    "positive outcome outcomes death died dead deceased mortality survival survived suicide readmission readmitted "
    "relapse recurrence complication complications therapy treatment medication religion religious faith confession "
    "belief political party vote voted sexual sexuality orientation criminal conviction convicted offence offense "
    "crime arrest arrested sentence grade grades gpa mark marks score scores exam passed failed iq appraisal "
    "performance rating dismissal dismissed label target absence sick sickness credit einkommen gehalt lohn verdienst "
    "bezuege schulden vermoegen kredit insolvenz pfaendung mahnung krankheit krankheiten erkrankung erkrankungen "
    "befund befunde ergebnis ergebnisse resultat testergebnis schwanger schwangerschaft behinderung behindert gdb "
    "pflegegrad pflegestufe sucht alkohol raucher krebs tod todesursache verstorben gestorben ausgang rezidiv "
    "wiederaufnahme wiederaufgenommen komplikation komplikationen therapie behandlung konf konfession glaube partei "
    "gewerkschaft sexuell sexuelle orientierung sexualitaet vorstrafe vorstrafen straftat delikt urteil note noten "
    "zensur zensuren punkte schulnote zeugnis zeugnisnote abschlussnote bewertung beurteilung bestanden fehlgrund "
    "abwesenheitsgrund kuendigungsgrund krankheitsgrund leistung revenu revenus salaire salaires dette dettes maladie "
    "maladies vih sida enceinte grossesse diabete asthme resultats deces decede mort issue rechute rehospitalisation "
    "croyance parti politique syndicat condamnation infraction delit moyenne bulletin absenteisme handicape fumeur "
    "ingresos salario salarios sueldo renta deuda deudas enfermedad enfermedades diagnostico diagnostique diagnostic "
    "embarazo embarazada discapacidad resultado resultados muerte fallecido fallecida defuncion desenlace recaida "
    "reingreso creencia partido sindicato condena delito nota notas calificacion calificaciones fumador motivo motif "
    "grund reason icd cie cim mental custody haft jahresbrutto monatsbrutto jahresnetto monatsnetto"
)
_SENSITIVE = frozenset(_SENSITIVE_WORDS.split())
_SENSITIVE_STEMS = (
    "readmi", "diagnos", "einkommen", "mahnst", "krankheit", "erkrank", "religio", "konfession", "income", "salar",
    "illness", "disease", "maladie", "enfermedad", "schulden", "sexual", "pregnan", "schwanger", "befund", "ergebnis",
    "behinder", "notens", "notend", "notenp", "notenm", "notenw", "gradepoint", "gradeav",
    "screening", "asyl", "foerderb", "disab", "impair", "pflegeb", "sozialhilfe", "welfare", "violen", "gewalt",
    "trauma", "psych", "allerg", "schmerz", "vaccin", "impf", "biops", "patholog", "operation", "surger", "medikation",
    "medicat", "insolv", "bankrup", "penalt", "strafe", "genet", "abuse",
    "unvertraeg", "intoler", "schwerb", "voting", "politic",
    "douleur", "depist", "discapac", "vacun", "embaraz", "alerg", "ziekte", "zwanger",
)  # fmt: skip
_SENSITIVE_ENDS = ("note", "noten", "zensur", "krankheit", "gehalt", "lohn", "einkommen", "bezuege")
_REMARKS_WORDS = (
    "remark remarks comment comments kommentar kommentare bemerkung bemerkungen anmerkung anmerkungen notiz notizen "
    "hinweis hinweise freitext freetext memo remarque remarques commentaire commentaires observacion observaciones "
    "observations comentario comentarios osservazioni commento opmerking opmerkingen toelichting text message "
    "nachricht vermerk vermerke begruendung begruendungen"
)
_REMARKS = frozenset(_REMARKS_WORDS.split())
_COUNTS_WORDS = "num number n nb count anzahl zahl nombre numero cantidad date datum fecha day tag year jahr time"
_COUNTS = frozenset(_COUNTS_WORDS.split())
"""Words of headers whose columns are not sensitive although another word of the header is. Examples are
`number_diagnoses` and `date_of_death`.
"""
_QUANTITIES_WORDS = (
    "price prices preis preise einzelpreis prix precio prezzo amount betrag montant importe importo quantity qty "
    "menge quantite cantidad anzahl zahl count total sum summe somme cost costs kosten cout coste revenue umsatz "
    "discount rabatt duration dauer duree duracion hours stunden heures horas days tage jours dias minutes lessons "
    "length los weight bodyweight birthweight gewicht dose dosis percentage prozent rate line position pos zeile row "
    "rank week woche month monat year jahr hour time zeit uhrzeit vat mwst tva iva stueck pieces lat latitude lon lng "
    "longitude breitengrad laengengrad latitud longitud latitudine longitudine coord coords coordinate coordinates "
    "koordinate koordinaten rechtswert hochwert easting northing gps geohash"
)
_QUANTITIES = frozenset(_QUANTITIES_WORDS.split())
_PRODUCTS_WORDS = (
    "product products produkt produkte produit produits producto productos prodotto artikel article articles articulo "
    "articulos articolo item items sku drug drugs medikament medikamente medicament medicamento wirkstoff pzn atc ndc "
    "icd ops diagnose diagnosen diagnosis diagnoses diagnostic diagnostico diag dx procedure prozedur code codes "
    "title titel titre titulo book buch film movie song track page url category kategorie reason grund motif motivo "
    "test tests analyte analyt parameter param loinc "
    "course kurs subject matiere fach materia asignatura activity aktivitaet"
)
_PRODUCTS = frozenset(_PRODUCTS_WORDS.split())
_FAMILIES_WORDS = (
    "product products produkt produkte produit produits producto productos prodotto artikel article articles articulo "
    "articulos articolo item items sku drug drugs medikament medikamente medicament medicamento wirkstoff pzn atc ndc "
    "icd ops diag diagnose diagnosen diagnosis diagnoses diagnostic diagnostico dx nd procedure prozedur proc code "
    "codes rx book buch film movie song genre medication medications medikation meds"
)
_FAMILIES = frozenset(_FAMILIES_WORDS.split())
"""First words of the headers of 0/1 columns that are items. Tests and reasons are not included, because they may be
sensitive results.
"""
_SETS_WORDS = (
    "titles titel titre titulo title songs tracks pages urls categories kategorien tests analyte analytes "
    "parameter parameters loinc course courses kurs kurse cours curso cursos modul module modules activity "
    "activities aktivitaet aktivitaeten skill skills kenntnisse kenntn kompetenzen competences habilidades "
    "interests interessen hobby hobbies languages sprachen langues idiomas abteilungen sports sportarten tags "
    "genres symptoms symptome symptomes sintomas comorbidities conditions allergies basket warenkorb panier "
    "purchases einkaeufe services leistungen prestations extras optionen options zusatzleistungen features "
    "findings procedures prozeduren operations treatments behandlungen treats med meds medis medication "
    "medications medikation vaccines impfungen tipos delitos"
)
_SETS = frozenset(_SETS_WORDS.split())
"""Words for things of which a person may have several, in addition to `_FAMILIES`."""
_SUBJECTS_WORDS = (
    "maths math mathe mathematik mathematics matematicas mathematiques matematica deutsch german allemand englisch "
    "english anglais ingles inglese franzoesisch french francais frances francese latein latin latina spanisch "
    "spanish espagnol espanol sport sports pe eps kunst art arts musik music musique musica biologie biology bio "
    "biologia chemie chemistry chimie quimica physik physics physique fisica geschichte history histoire historia "
    "erdkunde geographie geography geografia sachkunde sachunterricht religionslehre ethik ethics informatik "
    "informatics computing reading writing lesen schreiben algebra geometry literature science sciences"
)
_SUBJECTS = frozenset(_SUBJECTS_WORDS.split())


def is_quantity(header: str) -> bool:
    """Return True if a header names an amount, a price, a duration or a count. The values are then no codes.

    >>> is_quantity("unit_price"), is_quantity("Menge"), is_quantity("product")
    (True, True, False)
    """
    return not _QUANTITIES.isdisjoint(words_of(header))


def names_a_product(header: str) -> bool:
    """Return True if a header names a bought, prescribed or diagnosed thing.

    >>> names_a_product("Artikel"), names_a_product("ward")
    (True, False)
    """
    return not _PRODUCTS.isdisjoint(words_of(header))


def names_items(header: str) -> bool:
    """Return True if a header names things of which a person may have several, and nothing sensitive.

    >>> [names_items(one) for one in ("Artikel", "Kenntnisse", "diagnosis_codes", "Grund", "Sede", "usr", "HIV status")]
    [True, True, True, False, False, False, False]
    """
    words = words_of(header)
    return not (_FAMILIES | _SETS).isdisjoint(words) and (not is_sensitive(header) or not _FAMILIES.isdisjoint(words))


def begins_like_items(header: str) -> bool:
    """Return True if the first word of a header names goods, drugs, diagnoses or codes, as in ``dx_a`` or ``item12``.

    >>> [begins_like_items(one) for one in ("dx_a", "item12", "Produkt Milch", "has_hiv", "test_hiv")]
    [True, True, True, False, False]
    """
    return not _FAMILIES.isdisjoint(words_of(header)[:1])


def is_remark(header: str) -> bool:
    """Return True if a header names remarks, which may mention anybody.

    >>> is_remark("Bemerkung"), is_remark("doctor_comments"), is_remark("product")
    (True, True, False)
    """
    return not _REMARKS.isdisjoint(words_of(header))


def names_a_subject(header: str) -> bool:
    """Return True if a header is the name of a school subject.

    >>> names_a_subject("Mathe"), names_a_subject("math_2"), names_a_subject("class")
    (True, True, False)
    """
    words = words_of(header)
    return bool(words) and _SUBJECTS.issuperset(words)


def is_sensitive(header: str) -> bool:
    """Return True if a header names a sensitive attribute of a person.

    >>> [is_sensitive(one) for one in ("HIV-Status", "Jahreseinkommen", "Schulnote", "religión", "readmitted_30d")]
    [True, True, True, True, True]
    >>> [is_sensitive(one) for one in ("asylum_status", "special_needs", "Förderbedarf", "TB screening")]
    [True, True, True, True]
    >>> [is_sensitive(one) for one in ("age", "num_diagnoses", "date_of_death", "Klasse")]
    [False, False, False, False]
    """
    words = words_of(header)
    if _COUNTS.intersection(words):
        return False
    if "needs" in words or {"special", "need"} <= set(words):
        return True
    return any(
        word in _SENSITIVE or word.endswith(_SENSITIVE_ENDS) or any(stem in word for stem in _SENSITIVE_STEMS)
        for word in words
    )
