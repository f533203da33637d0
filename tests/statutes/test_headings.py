"""Which lines of a text are headings: their numbers go on, they are no sentences, and contents lists are left out."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from legalir.errors import DataError
from legalir.statutes.documents import cut
from legalir.statutes.jurisdictions import jurisdiction
from legalir.statutes.law import Law, Unit
from legalir.statutes.reading.lines import read_text
from legalir.statutes.reading.markup import Markup
from legalir.statutes.reading.plain_text import decoded, rejoined, without_headers
from legalir.statutes.reading.sequence import Candidate, chain, main_number, raised, readings_of, without_mark
from legalir.statutes.reading.title import name_of_law
from legalir.statutes.sources.html import html
from legalir.statutes.sources.text import law_of_markdown, text


def law_of(lines: str, country: str = "auto", lang: str = "") -> Law:
    law = read_text("a.txt", lines.split("\n"), country, "Law", "law", lang)
    assert law.unread() == []
    return law


def provisions(lines: str, country: str = "auto", lang: str = "") -> list[str]:
    """Return each article and annex as ``path/number heading: text``; lines of the text are parted by a slash."""
    law = law_of(lines, country, lang)
    rows: list[str] = []

    def visit(unit: object, path: tuple[str, ...]) -> None:
        for each in unit.units:  # type: ignore[attr-defined]
            if each.kind in ("group", "supplement"):
                visit(each, (*path, " ".join(filter(None, (each.label, each.heading)))))
            elif each.kind in ("article", "annex"):
                words = "" if each.repealed else law.render(each).replace("\n", " / ")
                rows.append(f"{' > '.join((*path, each.number))} {each.heading}: {words}".replace(" :", ":").strip())

    visit(law.root, ())
    return rows


HABITS = """
§ 1 Zweck | Text. | § 9 gilt auch. | § 2 Ende | Aus.
    1 Zweck: Text. / § 9 gilt auch. | 2 Ende: Aus.
§ 1 Zweck | Frei: | 2. Teil 4 des Kaigesetzes. | § 2 Ende | Aus.
    1 Zweck: Frei: / 2. Teil 4 des Kaigesetzes. | 2 Ende: Aus.
§ 1 Zweck | So wie in | § 7 | des Kaigesetzes. | § 2 Ende | Aus.
    1 Zweck: So wie in / § 7 / des Kaigesetzes. | 2 Ende: Aus.
§ 1 Zweck | „§ 8 Neu | Anders. | § 9 Auch | So.“ | § 2 Ende | Aus.
    1 Zweck: „§ 8 Neu / Anders. / § 9 Auch / So.“ | 2 Ende: Aus.
§ 1 Zweck | Text. | §§ 2 bis 4 (weggefallen) | § 4a Ende | Aus.
    1 Zweck: Text. | 2-4: | 4a Ende: Aus.
Kapitel 1 | Allgemeines | § 1 | Zweck | Text. | § 2 | Ende | Aus.
    Kapitel 1 Allgemeines > 1 Zweck: Text. | Kapitel 1 Allgemeines > 2 Ende: Aus.
1. Teil: Kai | § 1¹ Zweck | Text. | § 2² Ende | Aus. | Anlage 1 | (zu § 2) | Preise | Kai 5
    1. Teil Kai > 1 Zweck: Text. | 1. Teil Kai > 2 Ende: Aus. | 1 (zu § 2) Preise: Kai 5
Art. 1. Port jest. | Art. 1¹. Kaj jest. | Art. 2. Koniec tego.
    1: Port jest. | 1¹: Kaj jest. | 2: Koniec tego.
§ 1 Zweck | Text. | Geldbuße bis 200 Euro | § 2 Ende | Aus.
    1 Zweck: Text. / Geldbuße bis 200 Euro | 2 Ende: Aus.
제1-1조(목적) 정한다. | 제1-2조(정의) 부두란 시설을 말한다. | 제2-1조(신고) 제1-2조에 따른다. | 제2-1조의2(특례) 신고하지 않는다.
    1-1 목적: 정한다. | 1-2 정의: 부두란 시설을 말한다. | 2-1 신고: 제1-2조에 따른다. | 2-1의2 특례: 신고하지 않는다.
제1조 | (목적) | 정한다. | 제2조(준용) 제9조를 준용한다. | 제9조(점용) 자유다. | 제3조부터 제5조까지 삭제 | 제6조(끝) 끝.
    1 목적: 정한다. | 2 준용: 제9조를 준용한다. / 제9조(점용) 자유다. | 3-5: | 6 끝: 끝.
第一章　総則 | （目的） | 第一条　港を定める。 | 第二条　終わる。 | 附則 | 第一条　施行する。 | 別表第一（第二条関係） | 表の区分
    第一章 総則 > 1 目的: 港を定める。 | 第一章 総則 > 2: 終わる。 | 附則 > 1: 施行する。 | 1 （第二条関係）: 表の区分
Contents | Chapter I Ports | Art. 1-2 | Chapter II Fees | Art. 3 | Chapter I Ports | Art. 1. One. | Art. 2. Two. | Chapter II Fees | Art. 3. Three.
    Chapter I Ports > 1: One. | Chapter I Ports > 2: Two. | Chapter II Fees > 3: Three.
PART I | GENERAL | 1. Short title.—(1) It is the Ports Act. | 2. Fees | (1) A fee is due. | 2A. Fines | A fine is due. | FIRST SCHEDULE | 1. Boat: 5
    PART I GENERAL > 1 Short title: (1) It is the Ports Act. | PART I GENERAL > 2 Fees: (1) A fee is due. | PART I GENERAL > 2A Fines: A fine is due. | 1: 1. Boat: 5
PART 1 | GENERAL | Short title | 1. This is the Ports Act. | Fees | 2. A fee is due. | End | 3. It ends.
    PART 1 GENERAL > 1 Short title: This is the Ports Act. | PART 1 GENERAL > 2 Fees: A fee is due. | PART 1 GENERAL > 3 End: It ends.
PART 1 | Ports | 1 Open ports | A port is open. | Fees | 2 Amount | A fee is 5.
    PART 1 Ports > 1 Open ports: A port is open. | PART 1 Ports > Fees > 2 Amount: A fee is 5.
1 kap. Hamnar | 1 § En hamn är en plats. | 2 a § En kaj är en kant. | 2 kap. Slut | 1 § Lagen gäller nu.
    1 kap. Hamnar > 1: En hamn är en plats. | 1 kap. Hamnar > 2a: En kaj är en kant. | 2 kap. Slut > 1: Lagen gäller nu.
Article L111-1 | Le port est libre. | Article R111-2 | Le préfet règle. | Article L111-3 | Le quai est droit.
    L111-1: Le port est libre. | R111-2: Le préfet règle. | L111-3: Le quai est droit.
SECTION I | OBJET | 1. Le port est libre. | 2. Le quai est droit. | SECTION II | DROITS | § 1. — Dus | 3. Les droits sont dus. | § 2. — Autres | 4. (Abrogé). | 5. Fin.
    SECTION I OBJET > 1: Le port est libre. | SECTION I OBJET > 2: Le quai est droit. | SECTION II DROITS > § 1 Dus > 3: Les droits sont dus. | SECTION II DROITS > § 2 Autres > 4: | SECTION II DROITS > § 2 Autres > 5: Fin.
Article 1 | 1. The port is open. | 2. The quay is straight. | 3. Dues are paid. | Article 2 | 1. The port is shut. | 2. The quay is long. | 3. It ends.
    1: 1. The port is open. / 2. The quay is straight. / 3. Dues are paid. | 2: 1. The port is shut. / 2. The quay is long. / 3. It ends.
Section 1 | (a) It is. | 1. Small boats. | 2. Large boats. | Section 2 | The dues: | 1. Five. | 2. Six. | Section 3 | It ends.
    1: (a) It is. / 1. Small boats. / 2. Large boats. | 2: The dues: / 1. Five. / 2. Six. | 3: It ends.
CONTENTS | 1. Dues and what they cost 2 | 2. Moorings 3 | Dues and what they cost | 1.—(1) Dues are paid. | (2) By masters. | Moorings | 2. Moorings are free.
    1 Dues and what they cost: (1) Dues are paid. / (2) By masters. | 2 Moorings: Moorings are free.
Title of it | 1 Title | It is this. | Section 1: amended, on 1 July 2003, by section 7 of the Pier Act. | 2 Dues | They are paid. | 2A More dues | They are more. | Section 2A: inserted, on 1 July 2003, by section 8. | 3 [Repealed] | Section 3: repealed, on 1 July 2003, by section 9. | 4 End | It ends.
    1 Title: It is this. / Section 1: amended, on 1 July 2003, by section 7 of the Pier Act. | 2 Dues: They are paid. | 2A More dues: They are more. / Section 2A: inserted, on 1 July 2003, by section 8. | 3: | 4 End: It ends.
1. § A díj. | 2. § Vége. | 1. melléklet a 7/2014. (V. 12.) rendelethez | Díjak | Öt.
    1: A díj. | 2: Vége. | 1 a 7/2014. (V. 12.) rendelethez Díjak: Öt.
1. § A díjat az | 1. melléklet tartalmazza. | 2. § Vége.
    1: A díjat az / 1. melléklet tartalmazza. | 2: Vége.
Art. 1. Port jest. | Art. 2. Wzór określa załącznik do ustawy. | Art. 3a.2) Koniec. | Załącznik do ustawy z dnia 16 maja 2008 r. | WZÓR | Pięć.
    1: Port jest. | 2: Wzór określa załącznik do ustawy. | 3a: 2) Koniec. | do ustawy z dnia 16 maja 2008 r WZÓR: Pięć.
ΚΕΦΑΛΑΙΟ Α' | ΓΕΝΙΚΑ | Άρθρο 1 | Σκοπός | Ο λιμένας είναι. | ΚΕΦΑΛΑΙΟ Β' | ΤΕΛΗ | Άρθρο 2 | Τέλη | Πέντε.
    ΚΕΦΑΛΑΙΟ Α ΓΕΝΙΚΑ > 1 Σκοπός: Ο λιμένας είναι. | ΚΕΦΑΛΑΙΟ Β ΤΕΛΗ > 2 Τέλη: Πέντε.
1. gr. Gildi. | Lög þessi gilda. | 4. gr. Vitar. | [Hún er.]¹ | [4. gr. a. Fjarvöktun. | Vaktaðir.]¹ | 5. gr. …¹ | ¹ L. 88/2008, 233. gr. | 6. gr. Lok.
    1: Gildi. / Lög þessi gilda. | 4: Vitar. / [Hún er.]¹ | 4a: Fjarvöktun. / Vaktaðir.]¹ | 5: | 6: Lok.
1. The port is open. | 2. Dues. | 1[2A. Fines.—(1) They are due. | F2 3 . . . . . . | 4. End.—It ends.
    1: The port is open. | 2: Dues. | 2A Fines: (1) They are due. | 3: | 4 End: It ends.
1. The port is open. | 2. Dues are paid. | [F1 2A. More dues are paid.] | 3. It ends.
    1: The port is open. | 2: Dues are paid. | 2A More dues are paid: | 3: It ends.
Artículo 1. El muelle. | TÍTULO II | DISPOSICIONES FINALES | Artículo 2. La tasa. | DISPOSICIÓN FINAL | La ley rige.
    1: El muelle. | TÍTULO II DISPOSICIONES FINALES > 2: La tasa.
1. The port is open. | 2. Dues are paid. | SCHEDULE | Particulars of boats | Section 2 | 1. The name. | 2. The length.
    1: The port is open. | 2: Dues are paid. | Particulars of boats: Section 2 / 1. The name. / 2. The length.
§ 1 *) | Zweck | Der Hafen ist frei. | *) Fassung LGBl. 23/2011 | § 2 *) | Preise | Fünf. | § 3 *) | entfallen | *) aufgehoben durch LGBl. 8/2019
    1 Zweck: Der Hafen ist frei. / *) Fassung LGBl. 23/2011 | 2 Preise: Fünf. | 3:
831.005 Dues. Dues are paid. | 831.010 [1975 c.312 §3; repealed by 1989 c.904 §48] | 831.015 Quays. The quay is long.
    831.005: Dues. Dues are paid. | 831.010: | 831.015: Quays. The quay is long.
Rule 1. Scope | The rules apply to piers. | Rule 2. (Abrogated) | Rule 3. Fees | (a) Fees are paid.
    1 Scope: The rules apply to piers. | 2: | 3 Fees: (a) Fees are paid.
61-1401. PIERS. The pier is open. | 61-1403. DUES. (1) Dues are paid. | 61-1403A. FINES. Section 61-1401 applies.
    61-1401 PIERS: The pier is open. | 61-1403 DUES: (1) Dues are paid. | 61-1403A FINES: Section 61-1401 applies.
Kapittel 1. Om | § 1-1. Havn | Havn er. | § 1-2. Endringer | I lov om kaier skal § 12 lyde: | § 12. Merking | Kai er. | § 1-3. Slutt | Loven gjelder.
    Kapittel 1 Om > 1-1 Havn: Havn er. | Kapittel 1 Om > 1-2 Endringer: I lov om kaier skal § 12 lyde: / § 12. Merking / Kai er. | Kapittel 1 Om > 1-3 Slutt: Loven gjelder.
I. Allgemeines | § 1 Zweck | Der Hafen ist frei. | II. Preise | § 2 Preise | Fünf. | I. Boote | II. Kähne | § 3 Ende | Aus.
    I. Allgemeines > 1 Zweck: Der Hafen ist frei. | II. Preise > 2 Preise: Fünf. / I. Boote / II. Kähne | II. Preise > 3 Ende: Aus.
Docks | 1. A dock is long. | [F2Fees | 2. A fee is due.] | End | 3. It ends. | ¹[ Index | 4. It is short.] | [F3PART 2 More | Whole | 5. It goes on.] | [F4SCHEDULE 1A | Ten pounds.]
    1 Docks: A dock is long. | 2 Fees: A fee is due.] | 3 End: It ends. | 4 Index: It is short.] | PART 2 More > 5 Whole: It goes on.] | 1A: Ten pounds.]
Molo | Art. 1. Il molo è. | ((Tassa | Art. 2. La tassa è.)) | [¹ Fine | Art. 3. È la fine.]¹
    1 Molo: Il molo è. | 2 Tassa: La tassa è.)) | 3 Fine: È la fine.]¹
Art. 1. Le port est. | [Le quai | Art. 2. Un droit est dû.] | Art. 3. Il est bas. | Art. 4. Fin.
    1: Le port est. / [Le quai | 2 Un droit est dû: | 3: Il est bas. | 4: Fin.
Dock Act 1990 | Docks | 1(1)A dock is long. | (2)It is wide. | Fees | 2 | (1)A fee is due. | (2)It is low. | Fines | 2A A fine is ten. | End | F13(1)It ends. | SCHEDULE 1 | 1(1)A boat. | (2)A punt. | 2(1)Oars.
    1 Docks: (1) A dock is long. / (2) It is wide. | 2 Fees: (1) A fee is due. / (2) It is low. | 2A Fines: A fine is ten. | 3 End: (1) It ends. | 1: 1 (1)A boat. / (2) A punt. / 2 (1)Oars.
1. Docks | (1) A dock is as in section | 2(1) of the Act. | 2. Fees | A fee is: | 2 | (1) low. | 3. End | It ends.
    1 Docks: (1) A dock is as in section / 2(1) of the Act. | 2 Fees: A fee is: / 2 / (1) low. | 3 End: It ends.
Dock Code | § 101. Docks | A dock is long. | §[102. Repealed. Pub. L. 105–3, title I, §5, Oct. 1, 1997, 111 Stat. 21] | § 103. Fees | As in | §[104] of old.
    101 Docks: A dock is long. | 102: | 103 Fees: As in / §[104] of old.
PART I. | Docks. | 1.—(1) A dock is long. | (2) It is wide. | PART II. | Fees and fines. | 2.—(1) A fee is as in the | Schedule. | (2) It is low. | 3. It ends. | SCHEDULE. | Section 2. | Fees to be Paid. | Ten pounds.
    PART I Docks > 1: (1) A dock is long. / (2) It is wide. | PART II Fees and fines > 2: (1) A fee is as in the / Schedule. / (2) It is low. | PART II Fees and fines > 3: It ends. | Section 2 Fees to be Paid: Ten pounds.
Erster Teil. | Der Hafen. | § 1. Er ist offen. | Zweiter Teil. | Das Ende. | § 2. Er ist zu nach der | Anlage. | § 3. Aus. | Anlage. | Zehn Mark für den Kai.
    Erster Teil Der Hafen > 1: Er ist offen. | Zweiter Teil Das Ende > 2: Er ist zu nach der / Anlage. | Zweiter Teil Das Ende > 3: Aus. | : Zehn Mark für den Kai.
Liman | MADDE 1- (1) Liman açıktır. | Fener | MADDE 1/A- (Ek: 6/2/2014-6518/43 md.) | (1) Fener yanar. | Ücret | MADDE 2- (Değişik: 6/2/2014-6518/44 md.) | (1) Ücret ondur. | Son | MADDE 3- (1) Biter.
    1 Liman: (1) Liman açıktır. | 1/A Fener: (Ek: 6/2/2014-6518/43 md.) / (1) Fener yanar. | 2 Ücret: (Değişik: 6/2/2014-6518/44 md.) / (1) Ücret ondur. | 3 Son: (1) Biter.
Porto | Artigo 1.º O porto é livre. | Taxas | Artigo 2.º (Alterado pela Lei n.º 7/2012) | As taxas são de dez. | Fim | Artigo 3.º É o fim.
    1 Porto: O porto é livre. | 2 Taxas: (Alterado pela Lei n.º 7/2012) / As taxas são de dez. | 3 Fim: É o fim.
Section 1 Docks | A dock is long. | Section 2 Who may go in | Boats go in. | Section 3 Fees | A fee is due.
    1 Docks: A dock is long. | 2 Who may go in: Boats go in. | 3 Fees: A fee is due.
§ 1 Hafen | Er ist offen. | § 2 Der Kai liegt an der | Elbe. | § 3 Der Hafen gehört der | Stadt.
    1 Hafen: Er ist offen. | 2: Der Kai liegt an der / Elbe. | 3: Der Hafen gehört der / Stadt.
CAPITULO I | Del muelle | Art. 1.- Es libre. | CAPITULO II | De la tasa | Art. 2.- Es de cinco. | ANEXO | Seis.
    CAPITULO I Del muelle > 1: Es libre. | CAPITULO II De la tasa > 2: Es de cinco. | : Seis.
§ 1 | Přístav je. | § 2 | Konec. | Příloha č. 1 k vyhlášce č. 214/2014 Sb. | VZOR | Pět. | Příloha č. 2 k vyhlášce č. 214/2014 Sb. | Šest.
    1: Přístav je. | 2: Konec. | 1 k vyhlášce č. 214/2014 Sb VZOR: Pět. | 2 k vyhlášce č. 214/2014 Sb: Šest.
1. The port is open. | ⁴[1A. Dues.—(1) They are paid. | 2. End.—It ends.
    1 The port is open: | 1A Dues: (1) They are paid. | 2 End: It ends.
Art. 1. Les bancs sont verts – sauf le mien. | Art. 2. Un banc — toujours droit – coûte 5 – 10 euros. | Art. 3. Objet – La loi règle. | Art. 4. Fin. – Elle finit. | Art. 5. Tas.—un tas.
    1: Les bancs sont verts – sauf le mien. | 2: Un banc — toujours droit – coûte 5 – 10 euros. | 3 Objet: La loi règle. | 4 Fin: Elle finit. | 5 Tas: un tas.
Bank Code | Contents | Art. 1 Wood | Art. 2 Seat | Chapter 1 | Wood | Art. 1. Benches are of oak. | Art. 2. Chairs are of ash.
    Chapter 1 Wood > 1: Benches are of oak. | Chapter 1 Wood > 2: Chairs are of ash.
Gesetz | Inhalt | § 1 | Bau | § 2 | Sitz | Teil 1 | Holz | § 1 | Aus Eiche ist die Bank. | § 2 | Aus Esche ist der Stuhl.
    Teil 1 Holz > 1: Aus Eiche ist die Bank. | Teil 1 Holz > 2: Aus Esche ist der Stuhl.
Gesetz | Teil 1 | Inhalt | § 1 Eiche | Die Bank ist neu. | § 2 Esche | Sie ist alt. | Anlage 1 | § 1 Preis | Fünf. | § 2 Maß | Zwei.
    Teil 1 Inhalt > 1 Eiche: Die Bank ist neu. | Teil 1 Inhalt > 2 Esche: Sie ist alt. | 1: § 1 Preis / Fünf. / § 2 Maß / Zwei.
Code | Contents | Art. 1. A bench is made of oak. | Art. 2. A chair is made of ash. | ANNEX | Art. 1. Five. | Art. 2. Six.
    1: A bench is made of oak. | 2: A chair is made of ash. | : Art. 1. / Five. / Art. 2. / Six.
Décret sur les ports | Art. 1er. | Le port est libre. | Art. 2. | Il est grand. | ( Art. 2bis. | Le registre est public – Décret du 3 mai 2012, art. 2) . | Art. 3. | ( ... – Décret du 3 mai 2012, art. 3) | Art. 4. | Fin.
    1: Le port est libre. | 2: Il est grand. | 2bis: Le registre est public – Décret du 3 mai 2012, art. 2) . | 3: | 4: Fin.
Décret sur les ports | Art. 1er. | Le port est libre. | Art. 2. | Il est grand | (Art. 9 s'applique). | Art. 3. | Fin.
    1: Le port est libre. | 2: Il est grand / (Art. 9 s'applique). | 3: Fin.
Hafengesetz | § 1 Zweck | Der Hafen ist frei. | § 2 Preise | (entfallen mit LGBl. Nr. 40/2023) | § 3 Ende | Entfällt der Hafen 2012, so gilt § 1.
    1 Zweck: Der Hafen ist frei. | 2 Preise: | 3 Ende: Entfällt der Hafen 2012, so gilt § 1.
§ 1. Title | It is. | § 1-a. Aim | It aims. | § 2. Dues | Paid. | § 2-b. End | It ends.
    1 Title: It is. | 1-a Aim: It aims. | 2 Dues: Paid. | 2-b End: It ends.
Section 1. Title | It is. | Section 1-A. Aim | It aims. | Section 2. Dues | Paid.
    1 Title: It is. | 1-A Aim: It aims. | 2 Dues: Paid.
1 § Bryggan ligger vid stranden. |  | Bryggans skötsel |  | 2 § I denna lag betyder |  | 1. brygga: en plats, |  | 2. båt: en farkost. |  | 3 § Den målas. |  | Avgifter |  | 4 § Avgiften betalas före | 1 juni varje år. |  | 5 § Den är låg.
    1: Bryggan ligger vid stranden. | Bryggans skötsel > 2: I denna lag betyder / 1. brygga: en plats, / 2. båt: en farkost. | Bryggans skötsel > 3: Den målas. | Avgifter > 4: Avgiften betalas före / 1 juni varje år. | Avgifter > 5: Den är låg.
1 § Till hamnen hör |  | 1. kajer, |  | 2. Bryggor |  | 2 § Hamnen är öppen. |  | 3 § Avgiften är |  | Roddbåt  50 kronor |  | 4 § Den betalas. |  | 5 § Den är låg.
    1: Till hamnen hör / 1. kajer, / 2. Bryggor | 2: Hamnen är öppen. | 3: Avgiften är / Roddbåt 50 kronor | 4: Den betalas. | 5: Den är låg.
LEY DE PUERTOS | CAPÍTULO I. | DISPOSICIONES GENERALES. | ARTÍCULO 1o. OBJETO. La ley regula puertos. | ARTÍCULO 2o. USO LIBRE. El uso es libre. | ARTÍCULO 3o. DEROGADO. Ley 4 de 2001.
    CAPÍTULO I DISPOSICIONES GENERALES > 1 OBJETO: La ley regula puertos. | CAPÍTULO I DISPOSICIONES GENERALES > 2 USO LIBRE: El uso es libre. | CAPÍTULO I DISPOSICIONES GENERALES > 3:
DECRETO | "EL CONGRESO DECRETA: | SE EXPIDE LA LEY | Artículo 1.- El puerto es libre. | Artículo 2.- La tasa es baja. | Artículo 3.- El muelle es corto. | Rúbricas."
    1: El puerto es libre. | 2: La tasa es baja. | 3: El muelle es corto. / Rúbricas."
Hafensatzung | Inhaltsübersicht | I. Allgemeines | § 1 Hafen | § 2 Kai | II. Gebühr | § 3 Höhe | I. Allgemeines | § 1 | Hafen | Der Hafen ist offen. | § 2 | Kai | Der Kai ist lang. | II. Gebühr | § 3 | Höhe | Sie beträgt fünf Euro.
    I. Allgemeines > 1 Hafen: Der Hafen ist offen. | I. Allgemeines > 2 Kai: Der Kai ist lang. | II. Gebühr > 3 Höhe: Sie beträgt fünf Euro.
Bankordnung | § 1 Bau | Es gilt Anlage 1. | § 2 Ort | Am Kai. | Anlage 1 (zu § 1) | Maße der Bänke | Zwei Meter. | Anlage 2 zu § 2 Absatz 1 | Farben | Teil 1 | Grün.
    1 Bau: Es gilt Anlage 1. | 2 Ort: Am Kai. | 1 (zu § 1) Maße der Bänke: Zwei Meter. | 2 zu § 2 Absatz 1 Farben: Teil 1 / Grün.
Bankordnung | § 1 Bau | Wie in der Tabelle der folgenden langen | Anlage 1 zu § 1 | gesagt. | § 2 Ort | Am Kai. | Anlage 1 (zu § 1) | Kai 5 Euro | Boot 6 Euro
    1 Bau: Wie in der Tabelle der folgenden langen / Anlage 1 zu § 1 / gesagt. | 2 Ort: Am Kai. | 1 (zu § 1): Kai 5 Euro / Boot 6 Euro
1. It is. | 2. It has benches. | FIRST SCHEDULE | [Section 2] | BENCHES | PART I | A bench is long. | SECOND SCHEDULE | Oak.
    1: It is. | 2: It has benches. | 1 [Section 2] BENCHES: PART I / A bench is long. | 2: Oak.
1. Title | It is. | 2. Benches | They are kept. | 3 to 5. (Repealed) | 6. Fees | A fee is due. | 6A–6C. | Repealed. | 7. End | Sections 3 to 5 are repealed. | [Sections 8 and 9 repealed by Act 5 of 2003.] | 10. Index | Spent.
    1 Title: It is. | 2 Benches: They are kept. | 3-5: | 6 Fees: A fee is due. | 6A-6C: | 7 End: Sections 3 to 5 are repealed. | 8-9: | 10 Index:
Loi | Article 1 | Le port est libre. | Articles 2 à 4 (abrogés) | Article 5 | Articles 6 et 7 sont abrogés. | Articles 6 et 7 | (Abrogés) | Article 8 | Fin du port.
    1: Le port est libre. | 2-4: | 5: Articles 6 et 7 sont abrogés. | 6-7: | 8: Fin du port.
Ley | Artículo 1. El puerto es libre. | Artículos 2 a 4. (Derogados) | Artículo 5. Es el fin. | Arts. 6 y 7. Derogados por la Ley 5/2003. | Artículo 8. Fin.
    1: El puerto es libre. | 2-4: | 5: Es el fin. | 6-7: | 8: Fin.
Legge | Art. 1. | Il porto è libero. | Artt. 2-4 (abrogati) | Art. 5. | Il molo è lungo. | Articoli da 6 a 7 (abrogati dalla legge n. 5 del 2003) | Art. 8. | È la fine.
    1: Il porto è libero. | 2-4: | 5: Il molo è lungo. | 6-7: | 8: È la fine.
Hamnlag | 1 § En hamn är fri. | 2-4 §§ har upphävts genom lag (2003:5). | 5 § Kajen är lång. | 6 § Det är slut.
    1: En hamn är fri. | 2-4: | 5: Kajen är lång. | 6: Det är slut.
港口法 | 第一条　港口是自由的。 | 第二条至第四条　删除 | 第五条　码头是直的。
    1: 港口是自由的。 | 2-4: | 5: 码头是直的。
Havnelov | Kapittel 1. Om | § 1-1. En havn er fri. | § 1-2. (Opphevet) | § 1-3. En kai er rett. | § 2-1. Det er slutt.
    Kapittel 1 Om > 1-1: En havn er fri. | Kapittel 1 Om > 1-2: | Kapittel 1 Om > 1-3: En kai er rett. | Kapittel 1 Om > 2-1: Det er slutt.
Harbour Act 2001 | 1. Keeping of benches | (1) Benches are kept. | (2) They are of oak. | SCHEDULE | They are long.
    1 Keeping of benches: (1) Benches are kept. / (2) They are of oak. | : They are long.
Wet op de banken | Enig artikel | De kapitein plaatst de banken.
    enig: De kapitein plaatst de banken.
Bankgesetz | Einziger Paragraph | Der Hafenmeister stellt Bänke auf.
    einziger: Der Hafenmeister stellt Bänke auf.
Ley de bancos | Artículo único. El capitán pone los bancos.
    único: El capitán pone los bancos.
§ 1 Hafen | Der Hafen ist offen. | (Anm.: § 2 aufgehoben durch Z 3, BGBl. I Nr. 43/2012) | § 3 Kai | Der Kai ist lang. | (Anm.: § 9 gilt nicht.)
    1 Hafen: Der Hafen ist offen. | 2: | 3 Kai: Der Kai ist lang. / (Anm.: § 9 gilt nicht.)
86D.01 DOCKS. | A dock is long. | 86D.02 [Repealed, 2004 c 5 s 9] | 86D.025 FEES. | A fee is due. | 86D.03 LEAVE. | Subdivision 1. It is asked.
    86D.01 DOCKS: A dock is long. | 86D.02: | 86D.025 FEES: A fee is due. | 86D.03 LEAVE: Subdivision 1. It is asked.
718.103 Fees.—A fee is due. | 718.1035 Power; duty.—It is held. | 718.104 Docks.—A dock is long.
    718.103 Fees: A fee is due. | 718.1035 Power; duty: It is held. | 718.104 Docks: A dock is long.
Sec. 1.021. DOCKS. A dock is long. | Sec. 1.0211. FEES. A fee is due. | Sec. 1.022. FINES. It is ten.
    1.021 DOCKS: A dock is long. | 1.0211 FEES: A fee is due. | 1.022 FINES: It is ten.
NRS 40.60  Docks. A dock is long. | NRS 40.61  “Fee” defined. | 1. “Fee” means a sum. | 2. “Sum” means money. | NRS 40.62  Fines. It is ten.
    40.60: Docks. A dock is long. | 40.61: “Fee” defined. / 1. “Fee” means a sum. / 2. “Sum” means money. | 40.62: Fines. It is ten.
88.12.010 | Docks. | A dock is long. | 88.12.020 | Fees. | A fee is due.
    88.12.010 Docks: A dock is long. | 88.12.020 Fees: A fee is due.
(430 ILCS 65/1) (from Ch. 38, par. 83) | Sec. 1. A dock is long. | (430 ILCS 65/2) | Sec. 2. A fee is due.
    1: A dock is long. | 2: A fee is due.
Sec. 1-1. Dogs are kept. | Secs. 1-2—1-20. - Reserved. | Sec. 1-21. Cats are kept.
    1-1: Dogs are kept. | 1-21: Cats are kept.
701.01 Fee. A fee is due. [1971 c.7 §1] | 701.02 [1971 c.7 §4; repealed by 1999 c.402 §1] | DOCKS | 701.03 Dock. A dock is long.
    701.01: Fee. A fee is due. [1971 c.7 §1] | 701.02: | DOCKS > 701.03: Dock. A dock is long.
1 Docks | A dock is long. | F12. . . . . . . | F1 S. 2 repealed by Act 1999 (c. 5) | 3 Fees | A fee is due. | [F23A End | In this Act, it ends.] | 4 Title | It is named.
    1 Docks: A dock is long. | 2: | 3 Fees: A fee is due. | 3A End: In this Act, it ends.] | 4 Title: It is named.
Article 1er. Le port est ouvert. | Art. 1er/1. Le Roi fixe les droits. | Art. 2. Un droit est dû. | ANNEXES. | Art. N1. Annexe 1. Tarif. | Dix euros. | Art. N2. Modèle. | Un nom.
    1: Le port est ouvert. | 1/1: Le Roi fixe les droits. | 2: Un droit est dû. | 1 Annexe 1. Tarif: Dix euros. | 2 Modèle: Un nom.
Artikel 1. De haven is open. | Art. 2. Een recht is verschuldigd. | BIJLAGE. | Art. N. Tarief. | Tien euro.
    1: De haven is open. | 2: Een recht is verschuldigd. | Tarief: Tien euro.
Hafenordnung | Teil 1 | Allgemeines | 1. Der Hafen ist offen. | 2. Der Kai ist lang. | Teil 2 | Gebühren | 3. Eine Gebühr wird erhoben.
    Teil 1 Allgemeines > 1: Der Hafen ist offen. | Teil 1 Allgemeines > 2: Der Kai ist lang. | Teil 2 Gebühren > 3: Eine Gebühr wird erhoben.
Hafenordnung | 1. Zweck | Sie regelt den Hafen. | 2. Begriffe | Es ist | 1. Amt das Hafenamt, | 2. Kai jeder Platz, | 3. Gebühr | Eine Gebühr wird erhoben.
    1 Zweck: Sie regelt den Hafen. | 2 Begriffe: Es ist / 1. Amt das Hafenamt, / 2. Kai jeder Platz, | 3 Gebühr: Eine Gebühr wird erhoben.
LOI SUR LES PORTS | SECTION I | PORTS | 1. Le port est ouvert. | 2. Le quai est long. | SECTION II | DROITS | 3. Un droit est dû.
    SECTION I PORTS > 1: Le port est ouvert. | SECTION I PORTS > 2: Le quai est long. | SECTION II DROITS > 3: Un droit est dû.
Der Rat hat beschlossen: | I. Hafen | § 1 Kai | Der Kai ist lang. | II. Schluss | § 2 Ende | Es endet.
    I. Hafen > 1 Kai: Der Kai ist lang. | II. Schluss > 2 Ende: Es endet.
Act 2010 | 1  Docks | A dock is long. | 2  Begin | 1.  Section 1 begins now. | 2.  Section 3 begins later. | 3  Fees | A fee is due.
    1 Docks: A dock is long. | 2 Begin: 1. Section 1 begins now. / 2. Section 3 begins later. | 3 Fees: A fee is due.
1 Docks | A dock is long. | 2 Fees | A fee is due. | SCHEDULE 1 | Section 2 | FEES | Ten pounds.
    1 Docks: A dock is long. | 2 Fees: A fee is due. | 1 Section 2 FEES: Ten pounds.
1 kap. Hamn | 1 § Hamnen är öppen. | 2 § Kajen är lång. | Övergångsbestämmelser | Lagen träder i kraft nu.
    1 kap. Hamn > 1: Hamnen är öppen. | 1 kap. Hamn > 2: Kajen är lång.
1 § Hamn | Laki on. | 2 § | 2 § on kumottu L:lla 4.5.2015/67. | 3 § Laituri | Se on.
    1 Hamn: Laki on. | 2: | 3 Laituri: Se on.
Ley 20 | "Título I | Puertos | Artículo 1.- El puerto es. | Artículo 2.- El muelle es.".
    Título I Puertos > 1: El puerto es. | Título I Puertos > 2: El muelle es.".
Art. 1. | (Porto) | Il porto è. | Art. 2. | (( (Molo). )) | Il molo è.
    1 Porto: Il porto è. | 2 Molo: Il molo è.
Kapittel 1. Havn | § 1-1. Kai | Kaien er lang. | Kapittel 1 A. Fyr | § 1 A-1. Lys | Fyret er høyt. | § 1 A-2 a. Vakt | Den er våken.
    Kapittel 1 Havn > 1-1 Kai: Kaien er lang. | Kapittel 1 A Fyr > 1A-1 Lys: Fyret er høyt. | Kapittel 1 A Fyr > 1A-2a Vakt: Den er våken.
Kapittel 1 I havn | § 1-1. Kai | Kaien er lang. | Kapittel 2. A-lys | § 2-1. Lys | Fyret er høyt.
    Kapittel 1 I havn > 1-1 Kai: Kaien er lang. | Kapittel 2 A-lys > 2-1 Lys: Fyret er høyt.
제1장 항구 <개정 2015. 5. 4.> | 제1조(목적) 항구를 연다. | 제2조(삭제 2015. 5. 4.) | 제3조(요금) 요금은 천원이다.
    제1장 항구 > 1 목적: 항구를 연다. | 제1장 항구 > 2: | 제1장 항구 > 3 요금: 요금은 천원이다.
Ley | TÍTULO I | Muelles | Artículo 1. Uno. | Queda así: | «Artículo 7. Boyas. | Las boyas son rojas.» | Artículo 2. Dos. | El faro es alto.
    TÍTULO I Muelles > 1 Uno: Queda así: / «Artículo 7. Boyas. / Las boyas son rojas.» | TÍTULO I Muelles > 2 Dos: El faro es alto.
Ley | TÍTULO I | «Muelles» | Artículo 1. Uno. | Queda así: | «Las boyas son rojas.» | Artículo 2. Dos. | El faro es alto.
    TÍTULO I «Muelles» > 1 Uno: Queda así: / «Las boyas son rojas.» | TÍTULO I «Muelles» > 2 Dos: El faro es alto.
Hafengesetz | 1. Teil | Kai | 1. Hauptstück | Lage | § 1. Der Hafen ist offen. | Zweites Hauptstück | Tarif | § 2. Es gilt das | 2. Hauptstück des Kaigesetzes.
    1. Teil Kai > 1. Hauptstück Lage > 1: Der Hafen ist offen. | 1. Teil Kai > Zweites Hauptstück Tarif > 2: Es gilt das / 2. Hauptstück des Kaigesetzes.
1. Abschnitt | Kai | Zweck | § 1. Der Hafen ist offen. | Kosten | § 2. Der Kai ist frei. | § 3. (aufgehoben)
    1. Abschnitt Kai > 1 Zweck: Der Hafen ist offen. | 1. Abschnitt Kai > 2 Kosten: Der Kai ist frei. | 1. Abschnitt Kai > 3:
Kanun | BİRİNCİ BÖLÜM | Genel | MADDE 1- Liman. | EK MADDE 1- Fener. | EK MADDE 2- Kule. | GEÇİCİ MADDE 1- Eski. | MADDE 2- Son.
    BİRİNCİ BÖLÜM Genel > 1: Liman. | BİRİNCİ BÖLÜM Genel > EK MADDE 1: Fener. | BİRİNCİ BÖLÜM Genel > EK MADDE 2: Kule. | BİRİNCİ BÖLÜM Genel > GEÇİCİ MADDE 1: Eski. | BİRİNCİ BÖLÜM Genel > 2: Son.
Ley | Artículo 1. Uno es. | Disposición adicional única. Dos es. | Artículo 2. Tres es.
    1: Uno es. | Disposición adicional única > 2: Tres es.
BAB I | UMUM | Bagian Kesatu | Asas | Pasal 1 | Pelabuhan adalah tempat. | Bagian Kedua | Jenis | Paragraf 1 | Kapal | Pasal 2 | Kapal adalah alat.
    BAB I UMUM > Bagian Kesatu Asas > 1: Pelabuhan adalah tempat. | BAB I UMUM > Bagian Kedua Jenis > Paragraf 1 Kapal > 2: Kapal adalah alat.
Zákon | § 1 | Předmět | Zákon upravuje přístavy. | § 2 | (1) Přístav je místo. | § 3 | Šířka je dána. | § 4 | zrušen
    1 Předmět: Zákon upravuje přístavy. | 2: (1) Přístav je místo. | 3: Šířka je dána. | 4:
Zákon | § 1 | Přístav je místo | a kotviště. | § 2 | Molo je dané. | § 3 | Přístavem je | a) molo. | § 4 | Činí 5 Kč | Platí se. | § 5 | Platí hned.
    1: Přístav je místo / a kotviště. | 2: Molo je dané. | 3: Přístavem je / a) molo. | 4: Činí 5 Kč / Platí se. | 5: Platí hned.
I. FEJEZET | ÁLTALÁNOS | A törvény célja | 1. § E törvény szól. | 2. § A rakpart szegély. | II. FEJEZET | DÍJAK | 3. § A díj öt.
    I. FEJEZET ÁLTALÁNOS > 1 A törvény célja: E törvény szól. | I. FEJEZET ÁLTALÁNOS > 2: A rakpart szegély. | II. FEJEZET DÍJAK > 3: A díj öt.
I. FEJEZET | ÁLTALÁNOS | 1. § E törvény szól. | A torony magas | 2. § A rakpart szegély. | II. FEJEZET | DÍJAK | (új) | 3. § A díj öt.
    I. FEJEZET ÁLTALÁNOS > 1: E törvény szól. / A torony magas | I. FEJEZET ÁLTALÁNOS > 2: A rakpart szegély. | II. FEJEZET DÍJAK > 3: A díj öt.
Artículo 1. Objeto. | La ley regula. | Artículo 2. Muelles. | El muelle es un borde | y recto. | Artículo 3. (Derogado) | Artículo 4. Faros. | El faro | es alto.
    1 Objeto: La ley regula. | 2 Muelles: El muelle es un borde / y recto. | 3: | 4 Faros: El faro / es alto.
Закон | Стаття 1. Порт | Порт є місцем. | {Статтю 1 доповнено згідно із Законом N 5-VI} | {Статтю 2 виключено на підставі Закону N 5-VI від 01.01.2010} | Стаття 3. Плата | Статтю 7 викласти так.
    1 Порт: Порт є місцем. / {Статтю 1 доповнено згідно із Законом N 5-VI} | 2: | 3 Плата: Статтю 7 викласти так.
第一條 法。 | 第二條 如下： | 一、大塔。 | 二、小塔。
    1: 法。 | 2: 如下： / 一、大塔。 / 二、小塔。
Закон | Глава първа | КЕЙ | Чл. 1. Кеят е място. | Чл. 2. (Изм. - ДВ, бр. 7 от 2010 г.) Той е дълъг. | Глава втора | ТАКСИ | Чл. 3. (Нови кейове) Те са платени. | ДОПЪЛНИТЕЛНИ РАЗПОРЕДБИ | § 1. Кей е мол. | Преходни и заключителни разпоредби | § 2. Старото остава.
    Глава първа КЕЙ > 1: Кеят е място. | Глава първа КЕЙ > 2: (Изм. - ДВ, бр. 7 от 2010 г.) Той е дълъг. | Глава втора ТАКСИ > 3 Нови кейове: Те са платени. | ДОПЪЛНИТЕЛНИ РАЗПОРЕДБИ > 1: Кей е мол. | ДОПЪЛНИТЕЛНИ РАЗПОРЕДБИ > Преходни и заключителни разпоредби > 2: Старото остава.
Bootsordnung | 1. Boote | § 1 Ziel | Es gilt. | § 2 (aufgehoben) | 2. Kosten | 2.1. Preis | § 3 Preis | Fünf. | 2.2. Frist | § 4 Frist | Ein Jahr.
    1. Boote > 1 Ziel: Es gilt. | 1. Boote > 2: | 2. Kosten > 2.1. Preis > 3 Preis: Fünf. | 2. Kosten > 2.2. Frist > 4 Frist: Ein Jahr.
Bootsordnung | § 1 Ziel | Es gilt: | 1. Holz | § 2 Bau | Es gilt: | 2. Stein | § 3 Ende | Aus.
    1 Ziel: Es gilt: / 1. Holz | 2 Bau: Es gilt: / 2. Stein | 3 Ende: Aus.
Bootsordnung | 1. Boote | § 1 Ziel | Es gelten | 1. Holz | 2. Stein | § 2 Bau | Es gilt: | 2. Tuch | § 3 Ende | Aus.
    1 Ziel: Es gelten / 1. Holz / 2. Stein | 2 Bau: Es gilt: / 2. Tuch | 3 Ende: Aus.
Закон | Глава първа | КЕЙ | Чл. 1. Кеят е място. | Глава втора | ПРЕХОДНИ РАЗПОРЕДБИ | Чл. 2. Преходни разпоредби няма. | Заключителни разпоредби | Чл. 3. Край.
    Глава първа КЕЙ > 1: Кеят е място. | Глава втора ПРЕХОДНИ РАЗПОРЕДБИ > 2: Преходни разпоредби няма. | Заключителни разпоредби > 3: Край.
제1관 계류 | 제1항 합의 | 제8조(합의) 끝낸다. | 제2항 청구 | 제9조(사유) 청구한다. | 제10조(기간) 두 달. | 제2관 등대 | 제11조(등대) 밝다.
    제1관 계류 > 제1항 합의 > 8 합의: 끝낸다. | 제1관 계류 > 제2항 청구 > 9 사유: 청구한다. | 제1관 계류 > 제2항 청구 > 10 기간: 두 달. | 제2관 등대 > 11 등대: 밝다.
제1조(배) 배는 다음과 같다. | 제1항 및 제2항의 배 | 제2조(닻) 닻이다. | 제2항에 따른 닻 | 제3조(끝) 끝. | 제2항 배 | 제4조(돛) 돛이다.
    1 배: 배는 다음과 같다. / 제1항 및 제2항의 배 | 2 닻: 닻이다. / 제2항에 따른 닻 | 3 끝: 끝. / 제2항 배 | 4 돛: 돛이다.
제1조(배) 배는 뜬다. | 제2조 및 제3조의 배 | 제2조(닻) 닻이다.
    1 배: 배는 뜬다. / 제2조 및 제3조의 배 | 2 닻: 닻이다.
Legge | Capo I | Dei moli | § 1. Della cura | Art. 1. (Muri) I muri sono curati. | § 2. Dei costi | Art. 2. (Dazi) Si paga. | Capo II | Delle barche | Art. 3. (Barche) Una barca.
    Capo I Dei moli > § 1 Della cura > 1 Muri: I muri sono curati. | Capo I Dei moli > § 2 Dei costi > 2 Dazi: Si paga. | Capo II Delle barche > 3 Barche: Una barca.
Loi | Chapitre Ier | Des quais | § 1er. - Du soin | Art. 1. § 1er. Le quai est propre. | § 2. Il est droit. | § 2. - Des droits | Art. 2. Un droit est payé. | Art. 3. Il est bas.
    Chapitre Ier Des quais > § 1er Du soin > 1: § 1er. Le quai est propre. / § 2. Il est droit. | Chapitre Ier Des quais > § 2 Des droits > 2: Un droit est payé. | Chapitre Ier Des quais > § 2 Des droits > 3: Il est bas.
Art. 1. | § 1. De kaai is van steen. | § 2. De muur is van hout | Art. 2. | § 1. De boot vaart. | § 2. De boot zinkt | Art. 3. Er zijn: | § 1. Masten | Art. 4. Er zijn: | § 2. Zeilen | Art. 5. Slot.
    1: § 1. De kaai is van steen. / § 2. De muur is van hout | 2: § 1. De boot vaart. / § 2. De boot zinkt | 3: Er zijn: / § 1. Masten | 4: Er zijn: / § 2. Zeilen | 5: Slot.
Wet | Hoofdstuk 1. Kaai | § 1.1. Licht | Artikel 1 | Er is licht. | § 1.2. Kost | Artikel 2 | Bijlage bij artikel 2 van de Wet is er | § 1.3 over kost | Artikel 3 | Slot. | Bijlage bij artikel 2 van de Wet kaaien | Tien euro
    Hoofdstuk 1 Kaai > § 1.1 Licht > 1: Er is licht. | Hoofdstuk 1 Kaai > § 1.2 Kost > 2: Bijlage bij artikel 2 van de Wet is er / § 1.3 over kost | Hoofdstuk 1 Kaai > § 1.2 Kost > 3: Slot. | bij artikel 2 van de Wet kaaien: Tien euro
Gesetz | Ziel | § 1. Es gilt. | Boote | § 2. Boote im Gesetz sind | 1. Kahn, | 2. Floß. | § 3. Kosten | 1. Fünf Euro. | Dauer | § 4. Es dauert. | Ende | § 5. Es endet. | Kosten | § 6. Es kostet.
    1 Ziel: Es gilt. | 2 Boote: Boote im Gesetz sind / 1. Kahn, / 2. Floß. | 3 Kosten: 1. Fünf Euro. | 4 Dauer: Es dauert. | 5 Ende: Es endet. | 6 Kosten: Es kostet.
1. A pier. | 2. A lamp. | SCHEDULE 1 | Section 2. | Lamps | A lamp is lit. | SCHEDULE 2 | Section 1 applies. | It is so.
    1: A pier. | 2: A lamp. | 1 Section 2 Lamps: A lamp is lit. | 2: Section 1 applies. / It is so.
（目的） | 第一条　港を定める。 | 附　則 | （施行期日） | 第一条　施行する。 | （経過措置） | 第二条　みなす。
    1 目的: 港を定める。 | 附 則 > 1 施行期日: 施行する。 | 附 則 > 2 経過措置: みなす。
""".strip().split("\n")  # noqa: E501


@pytest.mark.parametrize(("lines", "expected"), list(zip(HABITS[::2], HABITS[1::2], strict=True)))
def test_headings_of_many_habits(lines: str, expected: str) -> None:
    assert provisions(lines.replace(" | ", "\n")) == expected.strip().split(" | ")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            "Artikel 1 | Bootsgesetz | Abschnitt 1 | Kai | § 1 Ziel | Es gilt § 2. | § 2 Ende | Aus. | Artikel 2"
            " | Segelgesetz | (SegelG) | § 1 Bau | Aus Tuch. | Artikel 3 | Schluss | Es gilt ab heute.",
            "1/1 Ziel, 1/2 Ende, 2/1 Bau, 3 Schluss",
        ),
        (
            "Erster Teil | Kai | Artikel 1 | Er ist lang. | Zweiter Teil | Alt | Artikel 2 | Boote | § 1 Neu | Ja."
            " | § 2 Alt | Nein.",
            "1, 2/1 Neu, 2/2 Alt",
        ),
        (  # As in Austria: the text is behind the number.
            "Artikel I | Fahrt | § 1. Es gilt für Seen. | § 2. (1) Es gilt bald. | Artikel II | Alt | § 1. Nein.",
            "1/1, 1/2, 2/1",
        ),
        # The numbers go through; paragraphs of a decree; §§ of another law, in quotes.
        (
            "Artikel 1 | Boote | § 1 Ziel | Ja. | Artikel 2 | Kaie | § 2 Bau | Nein. | § 3 Ort | Hier.",
            "1 Ziel, 2 Bau, 3 Ort",
        ),
        ("Artikel 1 - § 1 - Es gilt. | § 2 - Ja. | Artikel 2 - § 1 - Nein. | § 2 - Nie.", "1, 2"),
        (
            "Artikel 1 Boote | Neu gilt: | „§ 1 Ziel | Ja. | § 2 Ende | Aus.“ | Artikel 2 Schluss | Ab heute.",
            "1 Boote, 2 Schluss",
        ),
    ],
)
def test_sections_of_laws_that_are_articles_of_a_german_law(lines: str, expected: str) -> None:
    found = cut(law_of("Gesetz\n" + lines.replace(" | ", "\n"), lang="de")).documents
    articles = [each for each in found if each.unit.kind == "article"]
    assert [f"{each.docno[4:]} {each.unit.heading}".strip() for each in articles] == expected.split(", ")
    first = [each.above[1].label for each in articles if each.docno.startswith("law-1/")]
    assert set(first) <= {"Artikel 1", "Artikel I"}


ALONE = """
1 § Hamn är öppen. || Kajer || 2 § Kajen är lång. || 3 § Den är bred.
    1: Hamn är öppen. | Kajer > 2: Kajen är lång. | Kajer > 3: Den är bred.
Hamnar || 1 § Hamn är öppen. || Kajer || 2 § Kajen är lång. || 3 § Den är bred. || 4 § Den är våt.
    Hamnar > 1: Hamn är öppen. | Kajer > 2: Kajen är lång. | Kajer > 3: Den är bred. | Kajer > 4: Den är våt.
HAMNRÅDET || 1 § Hamn är öppen. || Kajer || 2 § Kajen är lång. || 3 § Den är bred. || 4 § Den är våt.
    1: Hamn är öppen. | Kajer > 2: Kajen är lång. | Kajer > 3: Den är bred. | Kajer > 4: Den är våt.
Scope || Ports | 1 It is a port. || Boats | 2 It is a boat. || Keepers || Duty | 3 A keeper wakes. || Pay | 4 He is paid.
    Scope > 1 Ports: It is a port. | Scope > 2 Boats: It is a boat. | Keepers > 3 Duty: A keeper wakes. | Keepers > 4 Pay: He is paid.
Ports | 1 It is a port. || Colour | 2 It is one of: | Red || Green || Duty | 3 A keeper wakes. || Pay | 4 He is paid.
    1 Ports: It is a port. | 2 Colour: It is one of: / Red / Green | 3 Duty: A keeper wakes. | 4 Pay: He is paid.
""".strip().split("\n")  # noqa: E501


@pytest.mark.parametrize(("lines", "expected"), list(zip(ALONE[::2], ALONE[1::2], strict=True)))
def test_headings_between_blank_lines(lines: str, expected: str) -> None:
    rows = lines.replace(" || ", "\n\n").replace(" | ", "\n")
    assert provisions(f"\n{rows}") == expected.strip().split(" | ")


def test_parts_whose_bare_numbers_begin_again() -> None:
    law = law_of("Part 1\nGeneral\n1. It is held.\n2. It is open.\nPart 2\nStalls\n1. They are let.")
    assert [each.docno for each in cut(law).documents] == ["law-part-1/1", "law-part-1/2", "law-part-2/1"]
    assert any("begin at 1 again in 2 parts" in note for note in law.notes)


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        ("718.101 Title.—This is the Dock Act.\n718.102 Fees.—A fee is due.", ""),
        ('LEY 20\n"Artículo 1.- Esta ley es del puerto.\nArtículo 2.- El muelle es.".', "LEY 20"),
        ("USTAWA\nz dnia 3 maja 2010 r.\no portach\nArt. 1. Port jest.", "USTAWA z dnia 3 maja 2010 r. o portach"),
        ("ROZPORZĄDZENIE\nMINISTRA\nw sprawie portów\n§ 1. Port.", "ROZPORZĄDZENIE MINISTRA w sprawie portów"),
        ("พระราชบัญญัติ\nเรือ\n(ฉบับที่ ๒)\nพ.ศ. ๒๕๖๑\nมาตรา ๑ เรือ", "พระราชบัญญัติเรือ(ฉบับที่ ๒) พ.ศ. ๒๕๖๑"),
        ("พระราชบัญญัติเรือ\nวันที่ ๓ มกราคม พ.ศ. ๒๕๖๑\nมาตรา ๑ เรือ", "พระราชบัญญัติเรือ"),
        ("พระราชบัญญัติเรือ พ.ศ. ๒๕๖๑\nมาตรา ๑ เรือ\nพ.ศ. ๒๕๖๒", "พระราชบัญญัติเรือ พ.ศ. ๒๕๖๑"),
        ("2010. évi II. törvény\na mólókról\n1. § A móló hosszú.", "2010. évi II. törvény a mólókról"),
        ("5/2010. (III. 3.) rendelet\na mólók díjáról\n1. § Öt.", "5/2010. (III. 3.) rendelet a mólók díjáról"),
        ("Décret n° 2010-5\nrelatif aux pontons\nArticle 1\nUn.", "Décret n° 2010-5 relatif aux pontons"),
        ("2010. évi II. törvény\nA móló rendje\n1. § A móló hosszú.", "2010. évi II. törvény"),
        ("Décret n° 2010-5\nvu la loi n° 2009-3\nArticle 1\nUn.", "Décret n° 2010-5"),
        ("A mólókról szóló törvény\na nép akarata\n1. § A móló.", "A mólókról szóló törvény"),
        ("QANUN ACEH\nNOMOR 5\nTENTANG\nKAPAL\nBAB I\nPasal 1", "QANUN ACEH NOMOR 5 TENTANG KAPAL"),
        ("QANUN ACEH\nTENTANG\nKAPAL\nDAN PELABUHAN\nDENGAN RAHMAT\nPasal 1", "QANUN ACEH TENTANG KAPAL DAN PELABUHAN"),
        ("ФЕДЕРАЛЬНЫЙ ЗАКОН\nО портах\nСтатья 1. Порт.", "ФЕДЕРАЛЬНЫЙ ЗАКОН О портах"),
        ("Закон о портах\nО важном\nСтатья 1. Порт.", "Закон о портах"),
    ],
)
def test_names_above_and_in_articles(lines: str, name: str) -> None:
    assert name_of_law(lines.split("\n")).words == name


def test_a_page_names_a_law_whose_first_line_is_only_its_kind() -> None:
    rows = ["ЗАКОН УКРАЇНИ", "Про порти", "Стаття 1. Порт"]
    assert name_of_law(rows, "Закон про порти").words == "Закон про порти"
    assert name_of_law(rows, "Закон України").words == "ЗАКОН УКРАЇНИ Про порти"
    assert name_of_law(["Harbour Act 2010", "About piers", "1. A pier."], "Harbour Act").words == "Harbour Act 2010"
    rows = ["PART 1", "DUES", "1. A due.", "Regulations", "2. A rule."]
    assert name_of_law(rows, "Harbour Act 2010 - Statutes").words == "Harbour Act 2010"
    # A heading that only the title of the page makes a name.
    assert (
        name_of_law(["Gesetz: der Hafen ist frei.", "§ 1 Ort"], "Gesetz", {0: 1}).words == "Gesetz: der Hafen ist frei"
    )


@pytest.mark.parametrize(
    ("above", "days"),
    [
        (
            "Hafengesetz | Ausfertigungsdatum: 17.04.2008 | § 1 Es gilt. | § 2 Ausfertigungsdatum",
            ("", "", "2008-04-17"),
        ),
        ("港法 | 施行日：令和六年四月一日 | 第一条　港。 | 第二条　船。", ("2024-04-01", "", "")),
        ("港法 | 第一条　港。 | 第二条　次の日 | 施行日：令和六年四月一日", ("", "", "")),
        (
            "항만법 | [시행 2024. 7. 10.] [법률 제2호, 2024. 1. 9., 제정] | 제1조 항. | 제2조 배.",
            ("2024-07-10", "", "2024-01-09"),
        ),
        (
            "Wet | Geldend van 01-02-2015 t/m 31-12-2018 | Artikel 1 | Kaai. | Artikel 2 | Boot.",
            ("2015-02-01", "2019-01-01", ""),
        ),
        ("Wet | Geldend van 31-02-2015 t/m heden | Artikel 1 | Kaai. | Artikel 2 | Boot.", ("", "", "")),
        ("港法 | 修正日期： | 民國 112 年 06 月 21 日 | 第 1 條 | 港。 | 第 2 條 | 船。", ("", "", "")),
    ],
)
def test_days_that_a_site_names_above_a_law(above: str, days: tuple[str, str, str]) -> None:
    law = law_of(above.replace(" | ", "\n"))
    assert (law.effective_from, law.effective_to, law.promulgated) == days


def test_days_that_a_site_names_below_the_number_of_a_provision() -> None:
    now, then = "Version en vigueur depuis le 06 juin 2019", "Version en vigueur du 06 juin 2019 au 1er mai 2024"
    lines = ("Loi", "Article 1", now, "Quai.", "Article 2", "", then, "Quai.", "Article 3", "Quai.", now, "Article 4")
    law = law_of("\n".join((*lines, "Version abrogée depuis le 1er mai 2024", "Quai.")), lang="fr")
    found = [(each.number, each.heading, each.effective_from, each.effective_to) for each in law.root.units[1:]]
    assert found == [
        ("1", "", "2019-06-06", ""),
        ("2", "", "2019-06-06", "2024-05-01"),
        ("3", "", "", ""),
        ("4", "", "", "2024-05-01"),
    ]


def test_the_last_line_of_contents_may_list_articles() -> None:
    parts = "HOOFDSTUK I. - Hout.|{}HOOFDSTUK II. - Prijs.|{}"
    body = parts.format("Art. 1. Eik.|Art. 2. Es.|", "Art. 3. Vijf.")
    law = law_of(f"Inhoud|{parts.format('Art. 1, 1/1, 2|', 'Art. 3, 3bis, 4|Tekst|')}{body}".replace("|", "\n"))
    assert [each.heading for each in law.root.units] == ["Hout", "Prijs"]
    assert law.notes == []


@pytest.mark.parametrize("title", ["Benches Act 2020", "Benches and chairs"])
def test_a_name_below_the_number_of_a_part_is_not_that_of_the_law(title: str) -> None:
    rows = ["Part 1", "Benches", "1. Oak", "A bench is of oak.", "2. Ash", "A chair is of ash."]
    law = read_text("a.html", rows, "auto", "", "a", "en", page_title=title, levels={0: 2, 1: 2})
    assert (law.title, law.root.units[0].heading) == (title, "Benches")
    assert name_of_law(rows[1:], title).words == "Benches"


def test_a_title_names_a_law_whose_lines_are_kind_and_matter() -> None:
    rows = ["Objava", "Uredba je nova", "ZAKON", "O MOLOVIMA", "Članak 1.", "Mol."]
    assert name_of_law(rows, "Zakon o molovima | Glasnik") == ("Zakon o molovima", range(2, 4), True)
    assert name_of_law(rows[2:]).words == "ZAKON O MOLOVIMA"
    assert name_of_law(["ЗАКОН", "ЗА МОЛОВИ", "Член 1", "Мол."]).words == "ЗАКОН ЗА МОЛОВИ"
    assert name_of_law(["DECRETO", "O MINISTRO decreta:", "Artigo 1.º", "Cais."]).words == "DECRETO"


PARTS = "{0} 1|{2}|Mol je dug.|Pojmovi|{0} 2|{3}|II. {1}|Visina|{0} 3|Pet."


@pytest.mark.parametrize(
    ("word", "part", "text", "groups"),
    [
        ("Članak", "NAKNADE", "Mol je kraj.", ["I. OPĆE", "II. NAKNADE"]),
        ("Član", "Naknade", "Mol je kraj.", ["I. OPĆE", "II. Naknade"]),
        ("Члан", "НАКНАДЕ", "Мол је крај.", ["I. OPĆE", "II. НАКНАДЕ"]),
        ("Članak", "Drugi red", "Redovi su:|I. Prvi red;", ["I. OPĆE"]),
    ],
)
def test_roman_parts_above_the_headings_of_articles(word: str, part: str, text: str, groups: list[str]) -> None:
    lines = "ZAKON|O MOLOVIMA|I. OPĆE|Predmet|" + PARTS.format(word, part, "Uređuje mol.", text)
    law = law_of(lines.replace("|", "\n"))
    assert [each.heading for each in law.root.walk() if each.kind == "group"] == groups
    articles = [each for each in law.root.walk() if each.kind == "article"]
    assert [each.heading for each in articles] == ["Predmet", "Pojmovi", "Visina"]
    assert law.unread() == []


@pytest.mark.parametrize(
    ("behind", "name"),
    [
        ("Tarifs (Articles 1 à 2)", "Tarifs"),
        ("Tarifs (Article L121-1)", "Tarifs"),
        ("Tarifs (art. 1 et 2bis)", "Tarifs"),
        ("Application (article 5 du décret)", "Application (article 5 du décret)"),
        ("Loi (2010)", "Loi (2010)"),
    ],
)
def test_articles_of_a_part_behind_its_name(behind: str, name: str) -> None:
    law = law_of(f"Texte\nTitre Ier : {behind}\nArticle 1\nUn.\nArticle 2\nDeux.", "fr")
    assert [(each.kind, each.heading) for each in law.root.units] == [("group", name)]
    law = law_of(f"Loi\nTexte nouveau\nTITRE I\n{behind}\nArticle 1\nUn.\nArticle 2\nDeux.", "fr")
    assert [(each.kind, each.heading) for each in law.root.units] == [("preamble", ""), ("group", name)]


def test_supplements_without_numbers_are_counted_and_have_paragraphs() -> None:
    later = "付　則（平成二〇年法律第五号）\n１　この法は明日から施行する。\n２　経過する。"
    law = law_of(f"港法\n第一条　港を定める。\n第二条　終わる。\n附則\n明日から施行する。\n{later}")
    assert [each.docno for each in cut(law).documents][3:] == ["law-supp", "law-supp-2"]
    assert [each.number for each in law.root.units[-1].units] == ["1", "2"]


def test_captions_of_the_paragraphs_of_a_supplement_are_no_heading_of_it() -> None:
    paragraphs = "（施行期日）\n１　施行する。\n（経過措置）\n２　みなす。\n（検討）\n３　検討する。"
    law = law_of(f"港法\n第一条　港を定める。\n附則\n{paragraphs}")
    supplement = law.root.units[-1]
    assert (supplement.heading, [law.render(each) for each in supplement.units]) == (
        "",
        ["施行する。", "みなす。", "検討する。"],
    )


def test_a_contents_line_that_opens_an_annex_above_all_articles() -> None:
    with pytest.raises(DataError, match='remove the line "Anlage" if it is of'):
        law_of("Hafengesetz\nAnlage: Sätze\n§ 1. Der Hafen ist offen.\n§ 2. Der Kai ist lang.", "at")


@pytest.mark.parametrize(
    ("lang", "lines", "expected"),
    [
        ("sv", "1 kap. Om | 1 § Hamn. | 2 § Kaj. | 2 kap. Avgift | 1 § Fem.", "chapter-1/1 chapter-1/2 chapter-2/1"),
        ("sv", "1 kap. Om | 1 § Hamn. | 2 § Kaj. | 2 kap. Avgift | 3 § Fem.", "1 2 3"),
        ("no", "Kapittel 1. Om | § 1-1. Havn er. | § 1-1 a. Kai er. | § 1-2. (Opphevet)", "1-1 1-1a 1-2!"),
        ("da", "Kapitel 1 | Om | § 1. Havn er. | § 2. (Ophævet ved lov)", "1 2!"),
        ("et", "1. peatükk Üld | § 1. Sadam on. | 2. peatükk Tasu | § 2. Tasu on.", "1 2"),
        ("hu", "I. FEJEZET | 1. § A kikötő hely. | II. FEJEZET | 1/A. § A díj öt.", "1 1/A"),
        ("cs", "ČÁST PRVNÍ | OBECNÁ | § 1 | Je. | ČÁST DRUHÁ | JINÁ | § 2 | (zrušen)", "1 2!"),
        ("el", "ΚΕΦΑΛΑΙΟ Α | Άρθρο 1 | Ο νόμος. | ΚΕΦΑΛΑΙΟ Β | Άρθρο 2 | Το τέλος.", "1 2"),
        (
            "fr",
            "Livre VI. Port | Art. VI.82. Le port. | Art. VI.83. Voir VI.82. | Livre XX. Quai | Art. XX.1.",
            "VI.82 VI.83 XX.1",
        ),
        ("nl", "Artikel 2:142 | De haven. | Artikel 2:143 | De kade. | Artikel 6:1 | Einde.", "2:142 2:143 6:1"),
        ("ro", "Art. 5. Portul este. | Art. 5^1. Cheiul este. | Art. 6. Final.", "5 5¹ 6"),
        ("pl", "Art. 15zz. Port. | Art. 15zzs. Molo. | Art. 15zzs1. Kej. | Art. 16. Koniec.", "15zz 15zzs 15zzs1 16"),
        ("bg", "Чл. 5. Порт. | Чл. 5а. Кей. | Чл. 6. Край.", "5 5а 6"),
        ("fr", "Article Lp. 311-1 Port. | Article Lp. 311-2 Quai. | Article R. 311-3 Fin.", "LP311-1 LP311-2 R311-3"),
        ("fr", "Art. 1bis² But | Le port. | Art. 2 et 3³ | Art. 4 Taxe | Cinq.", "1bis 2-3 4"),
        (
            "pt",
            "Art. 1º Porto é. | Art. 1º-A Cais é. (Incluído em 2033) | Art. 2º (Revogado pela Lei 2)",
            "1 1-A 2!",
        ),
        ("th", "มาตรา 1 ท่าเรือ | มาตรา 1 ทวิ (ยกเลิก) | มาตรา 2 เรือ", "1 1ทวิ! 2"),
        ("en", "1. Port it is. | 2. [S. 2 repealed by Act 5] | 3. Pier it is.", "1 2! 3"),
        ("en", "1. Fee.—A fee is due. | 2. [Repeal.] Rep. by the Act. | 3. Pier.—It is.", "1 2! 3"),
        (
            "es",
            "Artículo 1. Uno. | Artículo 2. (Derogado) | Disposición final única. Entra. | Mañana.",
            "1 2! Disposición-final-única",
        ),
        (
            "ca",
            "Article 1. Un. | Article 2. Dos. | Disposició addicional segona. Port. | Disposició final setena. Moll.",
            "1 2 Disposició-addicional-segona Disposició-final-setena",
        ),
        (
            "es",
            "Artículo 1o.- Uno. | Artículo 1o. Bis.- Dos. | Artículo 2o.- A los capitanes. | Artículo 2o.-A.- Uno. | "
            "Artículo 3 BIS. Uno. | Artículo 3 Quáter. Tres.",
            "1 1bis 2 2-A 3bis 3quater",
        ),
        ("ms", "1. Bot bebas. | 2. Yuran. | 3. (Dipotong oleh Akta 5). | JADUAL KEDUA | Enam.", "1 2 3! annex-2"),
        ("de", "§ 1 Der Hafen. | § 2* … | § 3 (Anm.: aufgehoben durch BGBl. 8) | § 4 Aus.", "1 2! 3! 4"),
        ("fr", "1. Le port. | 2. [Abrogé, 2004, ch. 16, art. 13] | 3. Fin.", "1 2! 3"),
        ("en", "1. A port. | 2. * * * | 3. [x x x] | 4. . . . . . | 5. Dues . . . are.", "1 2! 3! 4! 5"),
        ("nb", "§ 1. Havn er. | § 2. (Opphevet) | ⁰ Opphevet ved lov. | § 3. Kai er.", "1 2! 3"),
        ("tr", "MADDE 1- Liman. | MADDE 2- (Mülga: 1/5/2033) | GEÇİCİ MADDE 1- Eski.", "1 2! GEÇİCİ-MADDE-1"),
    ],
)
def test_numbers_and_repeal_in_many_languages(lang: str, lines: str, expected: str) -> None:
    """What is repealed has an exclamation mark; each part is known, so that it is not in the text of an article."""
    law = law_of(lines.replace(" | ", "\n"), "th" if lang == "th" else "any", lang)
    documents = cut(law).documents
    assert " ".join(each.docno.removeprefix("law-") + "!" * each.unit.repealed for each in documents) == expected
    assert not any("\n" in each.text for each in documents if each.unit.kind == "article")


def test_a_number_may_have_any_length() -> None:
    assert provisions(f"§ 1 Kai\nText.\n§ {'9' * 5000} Hafen\nText.")[0].startswith("1 Kai: Text.")


def test_what_does_not_go_on_is_said() -> None:
    (note,) = law_of("Article 1\nPorts\nA port is.\nArticle 45\nQuays\nA quay is.\nArticle 2\nEnd\nIt ends.").notes
    assert (
        "1 line begins as a heading does, with a number that is not read, or does not go on from the one before" in note
    )
    assert '"Article 45"' in note


def test_a_number_that_is_not_read_is_said() -> None:
    (note,) = law_of("Article 5. A port is.\nArticle 5abcd. A quay is.\nArticle 6. It ends.").notes
    assert '"Article 5abcd. A quay is."' in note


def test_a_chain_goes_through_lines_that_jump_or_fall() -> None:
    for seed in range(30):
        rng = random.Random(seed)
        numbers = [
            number for wanted in range(1, 30) for number in (wanted, *rng.sample(range(40, 99), rng.randint(0, 1)))
        ]
        found = [Candidate(row, "article", "§", 0, f"§ {n}", 0, readings_of(str(n))) for row, n in enumerate(numbers)]
        assert [each.reading.number for each in chain(found, [])] == [str(number) for number in range(1, 30)]


@pytest.mark.parametrize("first, second", [("1. ", "2.—"), ("1 ", "2 ")])
def test_paragraphs_of_schedules_with_subparagraphs(first: str, second: str) -> None:
    rows = ["1.—(1) A quay has a lifebuoy.", "(2) It is red.", "2. It ends.", "SCHEDULE", f"{first}It floats."]
    law = law_of("\n".join([*rows, f"{second}(1) It has a rope.", "(2) The rope is long."]), "uk")
    last = [(each.docno, each.text) for each in cut(law).documents][-2:]
    rope = "(1) It has a rope.\n(2) The rope is long."
    assert last == [("law-annex/1", "It floats."), ("law-annex/2", rope)]


def test_numbers_begin_anew_in_an_annex_only() -> None:
    found = [
        Candidate(row, "article", "§", 0, f"§ {n}", 0, readings_of(str(n))) for row, n in enumerate((1, 2, 1, 2, 3))
    ]
    assert [each.reading.number for each in chain(found, [2])] == ["1", "2", "1", "2", "3"]
    assert [each.candidate.row for each in chain(found, [])] == [2, 3, 4]


@pytest.mark.parametrize(
    ("number", "before", "expected"), [("1¹", "", "1"), ("22¹", "22", "22¹"), ("23²", "22¹", "23"), ("4a", "4", "4a")]
)
def test_a_footnote_mark_is_no_digit(number: str, before: str, expected: str) -> None:
    assert without_mark(number, before) == expected


def test_raised_digits() -> None:
    assert [raised(words) for words in ("1", "[12]", "2, 3", "er", "bis")] == ["¹", "¹²", "²,³", "er", "bis"]


def test_divided_words() -> None:
    rows = [
        "Das Gerichtsver-",
        "fahren und EU-",
        "Recht, Kauf-",
        "und Mietvertrag, E-",
        "Mail; soft\u00ad",
        "ware, EU-Recht.",
    ]
    assert rejoined(rows) == [
        *("Das Gerichtsverfahren", "und EU-Recht,", "Kauf-", "und Mietvertrag, E-Mail;", "software,", "EU-Recht."),
    ]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("the har-||bour", "the harbour|"),  # a page ends between them
        ("the har-||Bour", "the har-||Bour"),
        ("a list -||boats", "a list -||boats"),
        ("Ein- und Aus-||fuhr", "Ein- und Ausfuhr|"),
        ("a well-|known pier", "a well-known|pier"),
        ("a well-|known pier is wellknown", "a wellknown|pier is wellknown"),
        ("two-|thirds", "two-thirds|"),
        ("c'est-à-|dire", "c'est-à-dire|"),
        ("self-|ish", "selfish|"),
        ("mari-|time", "maritime|"),
        ("instal-|lation", "installation|"),
    ],
)
def test_words_that_have_a_hyphen_and_those_across_pages(lines: str, expected: str) -> None:
    assert rejoined(lines.split("|")) == expected.split("|")


@pytest.mark.parametrize(
    ("text", "apart", "joined"),
    [
        (
            "Les bancs sont libres et la loi entre en vigueur.",
            "peut-|il dit-|on avez-|vous sera-|t-il vice-|président sous-|directeur c'est-|à-dire lieu-|là",
            "gouver-|nement sous-|crire sous-|traire voi-|là mou-|ton navi-|gation",
        ),
        (
            "Os bancos são livres e a lei entra em vigor.",
            "aplica-|se fazer-|se dar-|lhe aplicá-|lo segunda-|feira decreto-|lei",
            "fos-|se análi-|se ba-|se deta-|lhe círcu-|lo regulamenta-|ção",
        ),
        ("The benches are free and the act comes into force.", "co-|operator re-|enact by-|law", "re-|gard cross-|ing"),
        ("Los bancos son libres y la ley entra en vigor.", "", "aplicar-|se vice-|presidente pudie-|se"),
    ],
)
def test_compounds_of_a_language_keep_their_hyphen(text: str, apart: str, joined: str) -> None:
    for words in (*apart.split(), *joined.split()):
        whole = words.replace("|" if words in apart.split() else "-|", "")
        assert rejoined([text, *f"a {words} b".split("|")]) == [text, f"a {whole}", "b"]


ARTICLES = {
    "cp1251": "Статья 1. Порт открыт.\nСтатья 2. Причал длинный.",
    "koi8-r": "Статья 1. Порт открыт.\nСтатья 2. Причал длинный.",
    "iso-8859-7": "Άρθρο 1\nΤο λιμάνι είναι ανοικτό.\nΆρθρο 2\nΗ αποβάθρα.",
    "cp932": "第１条　港は開かれる。\n第２条　岸壁は長い。",
    "cp949": "제1조(항구) 항구를 연다.\n제2조(부두) 부두는 길다.",
    "gb18030": "第一条 港口开放。\n第二条 码头很长。",
    "big5": "第一條 港口開放。\n第二條 碼頭很長。",
    "cp874": "มาตรา ๑ ท่าเรือเปิด\nมาตรา ๒ ท่าเรือยาว",
    "utf-16-be": "Art. 1. Port jest żółty.\nArt. 2. Łódź jest.",
    "utf-16-le": "제1조(항구) 항구를 연다.\n제2조(부두) 부두는 길다.",
}


@pytest.mark.parametrize("encoding", ARTICLES)
@pytest.mark.parametrize("declared", ["", "iso-8859-1"])
def test_an_encoding_that_the_words_for_articles_show(encoding: str, declared: str) -> None:
    assert decoded(ARTICLES[encoding].encode(encoding), "a.txt", None, declared) == ARTICLES[encoding]


@pytest.mark.parametrize(
    ("name", "text", "encoding", "call"),
    [
        ("a.html", "Порт есть место для судов и причал.", "cp1251", 'html(path=…, encoding="cp1251")'),
        ("a.txt", "§ 1 Häfen\nDieses Gesetz regelt die Gebühren der Häfen.", "cp1252", 'encoding="cp1252"'),
        ("a.txt", "Art. 1. Ustawa określa porty i opłaty za łodzie.", "cp1250", 'text(path=…, encoding="cp1250")'),
        ("a.txt", "Art. 1. Ustawa określa porty i opłaty za łodzie.", "iso-8859-2", 'encoding="iso-8859-2"'),
    ],
)
def test_a_message_names_the_encoding_that_fits(name: str, text: str, encoding: str, call: str) -> None:
    with pytest.raises(DataError, match=rf"name its encoding, such as .*{re.escape(call)}"):
        decoded(text.encode(encoding), name, None)


@pytest.mark.parametrize(
    ("page", "declared", "expected"),
    [
        ("é 항".encode(), "euc-kr", "é 항"),
        ("항구".encode("cp949"), "EUC-KR", "항구"),
        ("\ufeff항".encode("utf-16-le"), "ascii", "항"),
        ("né".encode("cp1252"), "iso-8859-1", "né"),
        ("ğ – ş".encode("cp1254"), "ISO-8859-9", "ğ – ş"),
        ("ğ – ş".encode("cp1254"), "latin5", "ğ – ş"),
        ("ท “เรือ”".encode("cp874"), "windows-874", "ท “เรือ”"),
        ("똠방".encode("cp949"), "ks_c_5601-1987", "똠방"),
        ("①髙".encode("cp932"), "x-sjis", "①髙"),
        ("镕".encode("gb18030"), "gb2312", "镕"),
        ("ł – ő".encode("cp1250"), "windows-1250", "ł – ő"),
        ("港".encode("big5"), "big5", "港"),
    ],
)
def test_encodings(page: bytes, declared: str, expected: str) -> None:
    assert decoded(page, "a.html", None, declared) == expected


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Ustawa określa łodzie i żeglugę.", "iso-8859-2"),
        ("Ustawa określa łodzie i żeglugę.", "cp1250"),
        ("Zákon upravuje žádné řeky. Šťastný člun.", "iso-8859-2"),
        ("A törvény erős és fűzött.", "cp1250"),
        ("Limanlar serbesttir, şehir içindedir.", "cp1254"),
        ("Les bateaux français – à l'été.", "cp1252"),
        ("Boote sind schön.", "cp1252"),
        ("The fee is £5 – naïve as it is.", "cp1252"),
    ],
)
def test_the_language_of_a_page_that_declares_nothing_or_latin_1_shows_its_encoding(text: str, encoding: str) -> None:
    for head in ("<style>b>a{}</style>", "<meta charset=iso-8859-1>"):
        assert text in Markup(f"<html>{head}<p>{text}".encode(encoding), "a.html", html=True).text


def test_encodings_of_an_xml_declaration_and_of_seven_bits() -> None:
    page = '<?xml version="1.0" encoding="EUC-JP"?><html><p>港</p></html>'
    assert Markup(page.encode("euc-jp"), "a.html", html=True).text == "港"
    both = '<?xml version="1.0" encoding="UTF-8"?><html><meta charset="windows-1251"><p>я</p></html>'
    assert Markup(both.encode("cp1251"), "a.html", html=True).text == "я"
    assert decoded("港".encode("iso-2022-jp"), "a.html", None, "iso-2022-jp") == "港"


def test_encodings_that_must_be_named() -> None:
    with pytest.raises(DataError, match="not UTF-8 at byte 0: name its encoding"):
        decoded("항구".encode("cp949"), "a.txt", None)
    with pytest.raises(DataError, match="no encoding 'utf-88'"):
        decoded(b"a", "a.txt", "utf-88")


@pytest.mark.parametrize(
    ("lines", "declared", "country", "lang"),
    [
        ("§ 1 Zweck\nDieses Gesetz regelt die Häfen.", "", "de", "de"),
        ("§ 1 Zweck\nDieses Gesetz regelt die Häfen und die Schiffe.", "en", "de", "de"),
        ("Art. 1. Ustawa określa porty.", "pol", "any", "pl"),
        ("Article 1er. La loi règle les ports.", "fr-BE", "fr", "fr"),
        ("第一条　この法律は港を定める。", "zh", "jp", "ja"),
        ("第一条　为了管理港口。", "", "cn", "zh"),
        ("第 1 條\n為管理港口。", "", "tw", "zh"),
        ("Article 1\nA port is a place for ships.", "", "any", "en"),
    ],
)
def test_language_and_country(lines: str, declared: str, country: str, lang: str) -> None:
    law = law_of(lines, lang=declared)
    assert (law.country, law.lang) == (country, lang)


def test_a_country_without_a_table() -> None:
    law = law_of("Short title\n1. This is the Ports Act.\nFees\n2. A fee is due.", "sg")
    assert (law.country, law.lang, [unit.heading for unit in law.root.units]) == ("sg", "en", ["Short title", "Fees"])


def test_plain_text_is_a_source(tmp_path: Path) -> None:
    (tmp_path / "law.txt").write_text("Hafengesetz\n§ 1 Zweck\nRegelt Häfen.\n", encoding="utf-8")
    (tmp_path / "list.txt").write_text("pens\nbooks\n", encoding="utf-8")
    source = text(None, path=tmp_path)
    assert [row["title"] for row in source.provisions()] == ["Hafengesetz § 1 Zweck"]
    assert source.unknown == ["list.txt"]


def test_a_page_says_its_language_and_marks_its_footnotes(tmp_path: Path) -> None:
    head = "<html lang=fr><meta charset=utf-8><title>Loi</title>"
    page = f"{head}<p>Art. 1<sup>er</sup><sup>1</sup><p>Port.<p>Art. 2<sup><a>2</a></sup><p>Quai."
    (tmp_path / "a.html").write_text(page, encoding="utf-8")
    source = html(None, path=tmp_path / "a.html")
    assert [row["article"] for row in source.provisions()] == ["1", "2"]
    assert source.report()["languages"] == {"fr": 1} and source.reports[0].left_out == {"footnote mark": 2}


@pytest.mark.parametrize(
    ("lang", "words", "marks", "numbers"),
    [
        ("th", "มาตรา ๑ | มาตรา ๒ | มาตรา ๒/๑ | มาตรา ๓", "<sup>[๑]</sup>", "1 2 2/1 3"),
        ("ru", "Статья 1. | Статья 2", '<span style="vertical-align: super">1</span>', "1 2"),
        ("ru", "Статья 1. | Статья 2. | Статья 2", '<span class="up">1</span>.', "1 2 2¹"),
        ("ru", "Статья 1. | Статья 2. | Статья 2", '<span class="low">1</span>.', "1 2 2¹"),
        ("ru", "Статья 1. | Статья 2. | Статья 3", '<span class="big">1</span>.', "1 2"),
    ],
)
def test_digits_set_high(tmp_path: Path, lang: str, words: str, marks: str, numbers: str) -> None:
    lines = words.split(" | ")
    if lang == "th":
        lines = [f"{each}{marks}" for each in lines]
    lines[-1] += "" if lang == "th" else marks
    style = "<style>.big { color: red } .up, .low { font-size: 66%; vertical-align: super; }</style>"
    page = f"<html lang={lang}><meta charset=utf-8>{style}<h1>Закон</h1>" + "".join(
        f"<p>{each} Port." for each in lines
    )
    (tmp_path / "a.html").write_text(page, encoding="utf-8")
    assert [row["article"] for row in html(None, path=tmp_path / "a.html").provisions()] == numbers.split()


@pytest.mark.parametrize(
    ("heading", "page_title", "name"),
    [
        ("Loi fédérale<br>sur les quais", "", "Loi fédérale sur les quais"),
        ("Loi sur les quais<br>(loi des quais - LQ)", "", "Loi sur les quais (loi des quais - LQ)"),
        ("Kaigesetz (Kaiordnung - KO)", "Kaigesetz (Kaiordnung - KO) - Recht", "Kaigesetz (Kaiordnung - KO)"),
        ("Loi sur les quais<br>(du 3 mai 2011)", "", "Loi sur les quais"),
        ("Loi sur les quais</h1><p>sur proposition du préfet", "", "Loi sur les quais"),
    ],
)
def test_a_name_that_a_line_break_or_a_dash_parts(tmp_path: Path, heading: str, page_title: str, name: str) -> None:
    page = f"<html><meta charset=utf-8><title>{page_title}</title><h1>{heading}</h1><p>Art. 1 Port.<p>Art. 2 Quai."
    (tmp_path / "a.html").write_text(page, encoding="utf-8")
    assert {row["law"] for row in html(None, path=tmp_path / "a.html").provisions()} == {name}


NAMES = """
LAWS OF NARNIA | CHAPTER 271 | COUNTY PIERS ACT | ARRANGEMENT OF SECTIONS
    COUNTY PIERS ACT
Regulamenta a Lei nº 13.020, de 5 de agosto de 2014, que institui o cais | DECRETO Nº 8.947, DE 28 DE MAIO DE 2016
    DECRETO Nº 8.947, DE 28 DE MAIO DE 2016
SUPREME COURT OF NARNIA | RULES FOR MEDIATION | 5.2 Rules
    RULES FOR MEDIATION
Hatályos: 2020. | 7/2014. (V. 12.) önkormányzati rendelete | a kikötőről
    7/2014. (V. 12.) önkormányzati rendelete a kikötőről
Ministry of Ports | Notice 4 of 2011 | Harbour dues | 1. Dues.
    Ministry of Ports
STATUTORY INSTRUMENTS | 2017 No. 1187 | The Pier Regulations 2017 | Made 27th November
    The Pier Regulations 2017
PORT ACT No. 19 OF 1968 | CONTENTS | THE PORT OF REFUGE ACT, 1968 | An Act to run ports.
    THE PORT OF REFUGE ACT, 1968
The Companies Act 2014 | AN ACT TO CONSOLIDATE THE LAW OF COMPANIES
    The Companies Act 2014
20 files of laws, in two folders. | These rules are old. | Piers
    20 files of laws, in two folders
Amtsblatt | Nr. 7 | Hafensatzung der Stadt Au | Aufgrund des § 4 der Ordnung:
    Hafensatzung der Stadt Au
541.3 | Gesetz über die Häfen (HafG) | vom 23. Mai 2012
    Gesetz über die Häfen (HafG)
Boletín Oficial | núm. 74 | Ley 3/2012, de puertos. | Sea notorio que se ha aprobado la Ley.
    Ley 3/2012, de puertos
LEI Nº 12.480, DE 3 DE MAIO DE 2009 | Dispõe sobre as praias.
    LEI Nº 12.480, DE 3 DE MAIO DE 2009
Docu 28416   p.1 | Décret relatif aux | ports de plaisance | Vu la loi du 3 mars 1998 ;
    Décret relatif aux ports de plaisance
USTAWA | z dnia 16 maja 2008 r. | o portach
    USTAWA z dnia 16 maja 2008 r. o portach
Tarım Bakanlığından: | YÖNETMELİK | LİMAN KAYIT YÖNETMELİĞİ
    LİMAN KAYIT YÖNETMELİĞİ
ΕΦΗΜΕΡΙΔΑ | ΝΟΜΟΣ ΥΠ' ΑΡΙΘ. 3899 | Λιμένες αναψυχής
    ΝΟΜΟΣ ΥΠ' ΑΡΙΘ. 3899
대통령령 제12345호 | 항만법 시행령 | 제1조(목적)
    항만법 시행령
○○市公報 | 港湾管理条例施行規則 | 平成8年規則第3号
    港湾管理条例施行規則
法規名稱： | 公告 | 法規名稱：望海縣漁港管理自治條例
    望海縣漁港管理自治條例
国务院令 | 第三十八号 | 中华人民共和国港口法 | 根据宪法，制定本法。
    中华人民共和国港口法
""".strip().split("\n")


@pytest.mark.parametrize(("lines", "name"), list(zip(NAMES[::2], NAMES[1::2], strict=True)))
def test_the_name_of_a_law_is_among_other_lines(lines: str, name: str) -> None:
    assert name_of_law(lines.split(" | ")).words == name.strip()


def test_a_page_says_how_its_law_is_called() -> None:
    rows = ["Ports authority", "Law 5 of 1990, on ports", "Piers", "Article 1", "Law 5 of 1990, on ports"]
    assert name_of_law(rows, "Law 5 of 1990, on ports | Ports authority") == (
        "Law 5 of 1990, on ports",
        range(1, 2),
        True,
    )
    assert name_of_law(["Home", "LEY 7 DE 2010", "(Julio 21)"], "Ley 7 de 2010 - Gestor").words == "LEY 7 DE 2010"
    assert name_of_law(["Home", "Piers and quays", "2010"], "Ports", {1: 1}).words == "Piers and quays"
    assert name_of_law(["Article 1", "Text."]) == ("", range(0), False)


def test_sentences_before_a_guessed_name_are_a_preamble() -> None:
    lines = "Gazette of ports\nThe council has heard the masters of all boats.\nPier Act 1990\n1. One.\n2. Two."
    law = read_text("a.txt", lines.split("\n"), "any", "", "law")
    assert law.title == "Pier Act 1990" and law.unread() == []
    assert [law.render(unit).split("\n")[0] for unit in law.root.units][:1] == ["Gazette of ports"]
    law = read_text("a.txt", lines.replace(" has heard the masters of all boats.", "").split("\n"), "any", "", "law")
    assert [each.reason for each in law.left_out] == ["title", "before the title"]


@pytest.mark.parametrize(
    ("header", "gone"),
    [
        ("{n}", True),
        ("   - {n} -", True),
        ("{n}     Official Gazette of the Ports", True),
        ("Gazette of 1990          p.{n}", True),
        ("Article {n}", False),
        ("{n}.", False),
        ("Table {n}", False),
        ("Article n° {n}", False),
        ("Fee for boats {n}", False),
    ],
)
def test_numbers_of_pages_in_a_text(header: str, gone: bool) -> None:
    pages = [line for n in (3, 4, 5) for line in ["", header.format(n=n), "", *["The port is open."] * 12]]
    kept, headers = without_headers([pages])
    assert len(headers) == (3 if gone else 0) and len(kept) + len(headers) == len(pages)


def test_numbers_in_a_row_are_no_pages() -> None:
    rows = [line for n in range(1, 9) for line in (str(n), "")]
    assert without_headers([rows]) == (rows, [])


def test_more_lines_of_a_header() -> None:
    page = ["The port is open."] * 12
    rows = [
        line for n in (3, 4, 5) for line in [*page, "", f"Gazette of 1990   p.{n}", "FRIDAY, 3 MAY", "", f"Dues: {n}."]
    ]
    kept, headers = without_headers([rows])
    assert headers == [line for n in (3, 4, 5) for line in (f"Gazette of 1990   p.{n}", "FRIDAY, 3 MAY")]
    assert [line for line in kept if "Dues" in line] == ["Dues: 3.", "Dues: 4.", "Dues: 5."]


@pytest.mark.parametrize("number", ["\u03a2", "", " ", "ΣΤ", "ж", "²"])
def test_a_number_without_a_place_in_an_alphabet(number: str) -> None:
    assert main_number(number) == 0


def test_greek_chapters_go_on() -> None:
    assert [main_number(letter) for letter in "ΑΒΓΔΕΖΗ"] == [1, 2, 3, 4, 5, 7, 8]  # 6 is ΣΤ


@pytest.mark.parametrize(
    "text",
    ["… and so on.", "Omitted words are listed.", "* The port", ". . . boats are free", "[1] The port", "x x", ""],
)
def test_points_in_a_text_are_no_repeal(text: str) -> None:
    assert not jurisdiction("any").is_repealed(text, "en")


def test_schedules_that_words_number_with_the_sections_that_they_belong_to() -> None:
    lines = "1. Title\nThis is the Pier Act.\n2. Dues\nDues are in the Schedule.\n"
    for word, section in (("FIRST", 1), ("SECOND", 2), ("THIRD", 2), ("FOURTH", 1)):
        lines += f"{word} SCHEDULE\n[Section {section}.]\nTABLE {section}\nA boat pays five.\n"
    assert [row.partition(" ")[0].rstrip(":") for row in provisions(lines, "uk")] == ["1", "2", "1", "2", "3", "4"]


def test_groups_nest_as_they_stand() -> None:
    city = "Chapter 14 - BOATS\nARTICLE I. - IN GENERAL\nSec. 14-1. - Title.\nThis is the code.\nARTICLE II. - BERTHS\n"
    city += "DIVISION 1. - DUES\nSec. 14-31. - Due.\nA boat pays.\nDIVISION 2. - DEALERS\n"
    city += "Sec. 14-41. - Record.\nIt is kept.\nARTICLE III. - PIERS\nSec. 14-61. - Permit.\nA pier needs one."
    paths = [row.rpartition(" > ")[0] for row in provisions(city, "us")]
    chapter = "Chapter 14 BOATS > "
    assert paths == [
        f"{chapter}ARTICLE I IN GENERAL",
        f"{chapter}ARTICLE II BERTHS > DIVISION 1 DUES",
        f"{chapter}ARTICLE II BERTHS > DIVISION 2 DEALERS",
        f"{chapter}ARTICLE III PIERS",
    ]
    state = (
        "DIVISION 1. - WATER\nTITLE 1. - PIERS\nSec. 1. Due.\nA boat pays.\nTITLE 2. - BERTHS\nSec. 2. Due.\nIt pays.\n"
    )
    state += "DIVISION 2. - LAND\nTITLE 3. - ROADS\nSec. 3. Toll.\nA car pays."
    paths = [row.rpartition(" > ")[0] for row in provisions(state, "us")]
    assert paths[-1] == "DIVISION 2 LAND > TITLE 3 ROADS"
    # In South Africa chapters have parts; a name is on the line below.
    bylaw = "CHAPTER 1\nMEANING\n1. Words\nA berth is a place.\nCHAPTER 2\nBOATS\nPART A\nJetties\n2. Use\nAll may.\n"
    bylaw += "PART B\nSlipways\n3. Use\nNone may.\nCHAPTER 3\nGENERAL\n4. Fines\nThey are five.\n"
    paths = [row.rpartition(" > ")[0] for row in provisions(bylaw, "za")]
    assert paths[1:] == ["CHAPTER 2 BOATS > PART A Jetties", "CHAPTER 2 BOATS > PART B Slipways", "CHAPTER 3 GENERAL"]


def test_a_line_whose_sentence_goes_on_is_no_heading() -> None:
    text = "Capitolo 1: Ponti\nArt. 1\nLa legge disciplina la costruzione\ne la cura dei ponti.\n"
    text += "Capitolo 2: Pedaggi\nArt. 2\nIl comune riscuote il pedaggio\ndai conducenti.\n"
    assert provisions(text, "it") == [
        "Capitolo 1 Ponti > 1: La legge disciplina la costruzione / e la cura dei ponti.",
        "Capitolo 2 Pedaggi > 2: Il comune riscuote il pedaggio / dai conducenti.",
    ]


def test_numbered_headings_of_a_file_nest() -> None:
    groups = ["## 1. Allgemeines", "## 2. Plätze\n### 2.1. Bewilligung", "### 2.2. Gebühr", "## 3. Schluss"]
    articles = [f"#### § {n} Zweck\nDas Amt führt eine Liste.\n" for n in range(1, 13)]
    rows = "".join(f"{group}\n{''.join(articles[3 * at : 3 * at + 3])}" for at, group in enumerate(groups))
    law = law_of_markdown("a.md", f"# Verordnung\n{rows}", "ch", "", "v")
    paths = [[each.heading for each in _above(law.root, one)] for one in law.root.walk() if one.kind == "article"]
    places = ["2. Plätze", "2.1. Bewilligung"], ["2. Plätze", "2.2. Gebühr"]
    assert paths[::3] == [["1. Allgemeines"], *places, ["3. Schluss"]] and len(paths) == 12


def _above(unit: Unit, inner: Unit) -> list[Unit]:
    for each in unit.units:
        if each is inner:
            return []
        if inner in each.walk():
            return [each, *_above(each, inner)]
    return []
