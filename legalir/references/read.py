"""References in the text of statutes: what each of them cites, by the grammar of the language.

A reference is read in its context: its law from the words before or after it, and the numbers that it omits
from the previous reference in a list (``제1항 및 제3항``), from the last of its kind (``같은 항``), or from the
place of the text in its law (``전항``, ``this section``). Numbers are counted, not looked up: everything that needs
the list of articles of a law is in :mod:`~legalir.references.resolve`.

All patterns are bounded, so the time is linear in the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from legalir.errors import DataError
from legalir.references.grammar import GAP, NOT_DOTTED, OUTSIDE, Grammar, grammars
from legalir.references.numbering import can_follow, counted_number, decimal, is_variant, number_of
from legalir.references.outline import Label, outline

Kind = Literal["cites", "delegates", "amends", "defines"]
"""``delegates``: a matter is left to another law (``대통령령으로 정하는``). ``amends``: the text changes the provision
(``제3조를 삭제한다``). ``defines``: the text only says where a word is defined (``as defined in section 3``)."""

State = Literal["resolved", "read", "ambiguous", "whole law", "not in collection", "unparsed"]
"""What is known of the target of a reference.

- ``read``: law and number are known; whether the law has that number was not looked up.
- ``resolved``: the law's own list of provisions has it.
- ``not in collection``: the collection lacks the law, or the law lacks the number.
- ``ambiguous``: it is not certain: several provisions may be meant, the law may lack a number that was counted, or the
  law is only likely.
- ``whole law``: there is no number.
- ``unparsed``: the law is unknown, or a chapter or part is meant, which is no provision.
"""

RANKS = {"group": 0, "article": 1, "annex": 1, "row": 2, "paragraph": 2, "item": 3, "subitem": 4, "deeper": 5}
"""Levels of a reference from the highest down; an annex takes the place of an article."""

_REACH = 160
"""Characters before a number in which the name of its law may begin."""

_WORDS = 60
"""Characters before a reference in which words that show its kind are looked for."""

_ITS = 24
"""Characters before a reference in which words such as *its* are looked for."""

_CHAIN = 8
"""Maximum number of units before the higher one that they are part of."""

_DEPTH = 4
"""Notes in brackets and words of the family allowed between a number and the name of its law."""

_IRI = re.compile(r"(/[\w/.-]{1,80}?)/s(\w[\w–-]{0,20})((?:/\w{1,8}){0,6})")
_EID = re.compile(r"art_(\w[\w-]{0,20}?)(?:__para_(\w[\w-]{0,10})\.?)?(?:__point_(\w{1,8}))?(?:__.*)?$")
_NUMBER_ALONE = re.compile(r"[A-Z]{0,2}\*?\d[\w.*/:-]{0,20}")
"""Places as identifiers of the United States, as eIds of Akoma Ntoso, and as the number of an article."""

_UNDER_HEADING = re.compile(r"\s{0,2}\n\s{0,4}(?:\d{1,4}[A-Z]?\.?\s)?(?:(?:After|Before|At the end of)\s)?")
"""Between a heading that is a law and the first unit below it: ``457 After`` in an Australian act."""
_SUBJECT_TO = re.compile(r"[(（][Ss]ubject to ")
_WHOLE = re.compile(r"[\w.:-]+")
"""The number of a section, and not of a part of one: ``211(2)``."""
_ROMAN_UNIT = re.compile(r"[ivxIVX]{1,5}[a-dA-D]?")
_IN_BRACKETS = re.compile(r"[^()]+")
_NOUN = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)?")
_PARTS = re.compile(r"[\w.\-‑]{1,20}")
_LINE = re.compile(r"\S[^\n]*(?<=\S)")
_LINE_OVER = re.compile(r"(?<![:;,—–-])(?<![;,] (?:and|und))(?<![;,] or)\n")
_CHANGES = re.compile(r"\b(?:omit|insert|substitut|repeal|delet|strik|replac|amend)")
_IN_AMENDING = re.compile(r"(?:[(]?\w{1,4}[.)]?[ \xa0])?[Ii]n[ \xa0](?:the[ \xa0])?")
"""Words before the unit that a list changes. The list must also have one of `_CHANGES`."""
_NO_YEAR = re.compile(r"\b(?:Act|Code|Regulations|Rules)(?:, \d{4})?\Z")
_INNER = re.compile(r"\(([\w.]{1,6})\)((?:\([^()]{1,6}\))*)")
_PREFIX = re.compile(r"([A-Za-z]{1,2})[.\s]*(\*?)[.\s]*(?=\d)")
_BLANK = re.compile(GAP)
_DOCUMENT = "\0"
"""The law of provisions of a document that is no law: they are not read."""
_NUMBER_BEHIND, _ARTICLE_BEHIND = re.compile(r"\s(?:\d|\(\w{1,4}\))"), re.compile(r"\s(?:[A-Z]\.?\s?)?\d")
"""The number behind words such as *this section*, which are then no reference of their own: *le même article L. 1*."""
_TEXTS = 1024
"""Number of texts whose short names of laws are kept: an import learns them from a whole law before it reads it."""
_NUMBERED = "#"
"""Place of the number of an annex whose list goes on with a word before each: ``allegato n. 1 e n. 2``."""
_DOTTED = "N."
"""Place of a unit whose number a dot joins to that of the article."""
_NEAR = 10
"""The next number in a list of such units is less than this above the last: the 2 of ``art. 24.1 y 2``."""
_LARGEST = 5200
"""Maximum number of an article of the own law: the code of civil procedure of Louisiana has 5188."""
_LARGE = 2000
"""Such a number before a price is that of goods."""
_UNDER = re.compile(r"^[A-Za-z]/(?=[A-Za-z])")
"""What is before the word for an article in ``u/s 148``."""
_WIDE = "\u2e80"
"""Signs from this one on are Chinese, Japanese or Korean."""
_SEVERAL = 4
"""Number of references before an article in brackets that are compared with it."""
_PRICE = re.compile(r"(?<![\d.,])\d{1,3}[.,]\d\d ?(?:€|£|\$|EUR|CHF|kr|zł)|(?:€|£|\$) ?\d{1,3}[.,]\d\d(?!\d)")
_OPENING, _CLOSING = "(（[〔", ")）]〕"
_IN_NOTE = re.compile(r"[ \xa0]?[(（][ \xa0]?")
_LEAD = re.compile(
    rf"(?:[ \xa0]?[(（][^()（）\n]{{1,80}}[)）])?{GAP}[,،]{GAP}|[ \xa0](?:[(（][^()（）\n]{{1,80}}[)）][ \xa0])?"
)
"""Between a law and its article: a comma or a blank, perhaps behind a note in brackets."""
_COMMA = re.compile(rf"{GAP},{GAP}")
_OTHERS = ("named", "short", "likely")
"""Kinds of laws but the own one."""
_RELATIONS = ("same", "this", "before", "after", "every")
_HANGUL = re.compile("[가-힣]{2}")
_BOOK = re.compile("(?<=》)(?:[一-鿿]{1,10}[编編]|[总總分][则則])\\Z|(?<=法典)[一-鿿]{1,10}[编編]\\Z")
"""A book of a law before an article of it: 《民法典》合同编第五百条."""
_LAW_WORD = re.compile(
    "(?<![違违適合司立手方用作話技療製文工便無不論])(?:法|條例|条例)(?=[，、之的（(規规はがをにもで违違所上对對]|の改正|改正)"
)
"""The end of the name of a law that is not quoted and has no number behind it."""
_OFFENCE = re.compile(" ?(?:違反|违反|위반)(?:の?罪|容疑|の疑い|被告事件|事件|혐의|죄|등|사건)?\\Z")
_LONGER = re.compile("[基日资資版样樣]本|(?<![造构構完达達形])成本|[合共协協]同")
"""Beginnings of words that end in 本法 or 同法."""
_ALPHABETS = "\u2fff"
"""Last of the signs before those of Chinese, Japanese and Korean."""
_ACT = re.compile(r"제\s?(\d{1,6})\s?호 ?\Z")
"""The number of an act before its name."""
_NOTE_LENGTH = 300
"""Maximum length of a note in brackets behind a reference."""
_CLAUSE = re.compile(r"[^.:;—–\n]*")
_HEADED = r"(?=\u3000|\t|[(（][^()（）\n]{1,60}[)）](?:①|\s(?!및|또는|내지)))"
"""After the number of an article at the beginning of a line: a wide space, or a heading in brackets."""
_LIST_BEGINS = re.compile(
    r"(?:[^\n.]|\.(?= ?[\da-zà-ÿ])){0,200}[—–:]\s{0,3}(?:\n|\(?(?:a|i|1|I|A)(?:\)|[.°º]-?\s))"
    r"|[^\n.:;§\d]{0,120}?\s(?:dels\s)?att(?=\s)"
)
_COLON = re.compile(r"[^\n.;:]{0,120}(?:[:—–]|,? namely,?)\s?")
"""Between a law and the list of its articles."""
_POINTS = re.compile(r"\b(?:specified|mentioned|referred to|listed|set out|described) in \Z")
"""Words before a unit of the own law in *the following provisions of the 2011 Act: section 9, as specified in …*."""
_CLAUSE_OVER = re.compile(r"\.\s(?=[A-ZÀ-ÖØ-ÞĐ§])|\n")
_PREDICATE = re.compile(
    r"(?<!\w)(?<!which )(?<!that )(?<!qui )(?<!que )(?<!qu’il )(?<!qu'il )(?<!che )(?<!die )(?<!dat )(?<!som )"
    r"(?:was|were|is|are|(?:has|have|had) been|est|sont|a été|ont été|fut|furent|è|sono|fue|fueron|ha sido|han sido|es"
    r"|foi|foram|é|werd|werden|zijn|wurde|wurden|ist|został[aoy]?|zostali|har|blev|ble|er|är|blir)"
    r"(?:\s[^\W\d_]{3,12}){0,2}\s?\Z"
)
"""Words before *amended by* that make it what the sentence says."""
_FIRST_PART = re.compile(r"\S+\s?\d+(?=\s(?:und|oder|u\.)\s\d)")
"""The first of several sentences of a paragraph: ``Satz 1`` in *Satz 1 und 2*."""
_QUOTATION_OVER = re.compile(r"\.[\"”»](?!\s?[;,])")
_TITLED = re.compile(r"\)\s?:")
"""What follows a law that a note is about: *Kaufrecht (BGB):*."""
_LAW_OF_CONTRACT = re.compile(r"(?:準拠|適用|管轄|适用|管辖|준거)(?:法律?|법)")
"""The heading of a clause on the law that a contract chooses."""
_BEGINS_CHANGE = re.compile(r"(?:\A|\n|[.;:)–—-]\s)\s?(?:[^\W\d_]{1,4}[\s'’]){1,2}\Z")
"""The beginning of a sentence, or of an item in it, with words such as *in*, *à l'*."""
_LIST_GOES_ON = re.compile(r"[:;]\s{1,3}\Z")
_SENTENCE_ENDS = re.compile(r"(?:[^\W_]{5}|\d [^\W\d_]{2,4}|[\d)\]»”\"%])\.\s{1,3}\Z")
_AND = re.compile(r"[,、，과와및并並且] ?\Z")
"""What joins clauses in Korean, Japanese and Chinese."""
_SENTENCE_OVER = re.compile(r"\n|。(?![」』])|[^\W_]{4}\.\s")
_OPENS = re.compile(r"(?:\A|[.;:\n]\s?)(?:[^\W\d_]{1,6}\s){1,2}\Z")
"""Words before a law that begin a sentence: *Theo* Luật Cảng biển, …"""
_CLAUSE_BEGINS = re.compile(
    r"(?:\A|\s(?:위|역시|또한|및|또는)|[,、，。.;；:：(（「『“はもがと除依按看見见]"
    r"|[가-힣](?:[은는을를고며도와과면]|므로|지만|거나|에는|에서|하여|으로|러나|한편|따라)) ?\Z"
)
"""The end of a word in Korean, Japanese and Chinese behind which no name goes on."""
_NEXT_SENTENCE = re.compile(r"(?:[^\W_]{2}|\))\.\s(?=[A-ZÀ-ÖØ-ÞĐ])")
"""The end of a sentence before one with a capital."""
_MONTHS = "Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember"
_AMENDING_OVER = re.compile(
    rf"(?:[^\W_]{{2}}|[)”»\"’]|[ \xa0]\d)\.[”»\"]?\s(?=[A-ZÀ-ÖØ-ÞĐ“„«])(?!{_MONTHS})"
    r"|(?:[^\W\d_]{5}|[)”»\"’\d])\.\s(?=§)|\.[”»\"]?\s?\n"
)
"""The end of a sentence that changes a law: also behind a quotation or a number, and at the end of a line."""
_RELATIVE = re.compile(r",\s(?:die|der|das|dem|den|welche\w?|which|that|who|que|cuy[oa]s?|qu[ei]|dat|waar\w*)\s")
_BEGINS = re.compile(r"(?:\A|[.;:)\n–—])\s{0,3}\Z")
"""What is before the first word of a sentence."""
_AFTER_LABEL = re.compile(r"(?:(?:\A|\n)\w{0,4}|[.;:)–—])\s{0,3}\Z")
"""What is before a sentence, also a label without marks."""
_OF_LIST = re.compile(r"[;\n]")
_LIST_OVER = re.compile(r"\.[”»\"’]?\s{0,3}(?:\n|\Z)|(?P<inside>(?<=[,;])\s?\n)(?=[a-z]{3,}\s)(?![ivx]+\s)")
"""The end of a list, or where its sentence goes on behind the last item: *(c) section 7,* / *has been convicted*."""
_LONGEST_SENTENCE = 2_000
"""Characters of a sentence that changes a law."""
_LONGEST_TITLE = 240
"""Maximum number of characters of the title of a law before its articles: ``Vu la loi …, l'article 29``."""
_OPENED, _CLOSED = tuple('"“「'), tuple('"”」')
"""Quotation marks around a unit that is changed: 第五条中「第三条」を「第四条」に改める."""
_REVERSED = str.maketrans("»«", "«»")
_QUOTES = re.compile(r"[„“”«»‘]|’(?!\w)|(?<![^\s(\[—–-])\"(?=\S)|(?<=\S)\"(?!\w)")
_DASHED = re.compile(r"(\d{1,4})([A-Za-z]?)([-–—])(\d{1,4})([A-Za-z]?)(?![\w-])")
_FARTHEST = 100
"""Maximum distance of two numbers with a dash that are the ends of a range."""
_LETTER_OF_ITEM = re.compile(r"\d[\d.]*[a-z]")
_APART = re.compile(r"(annex|supp)(?:-([^/]+))?(?:/(.+))?")
"""The number of an annex or a supplement, or of a provision in one, in a collection."""
_LATER = re.compile(r"supp (?!1\Z)\d+")
"""The place of a supplement behind the first, which the act itself has."""
_LABELLED = re.compile(r"\)|\.\s[^\W\d_A-ZÀ-Þ]")
"""What is behind a label in a sentence: ``1) …; 2) …``, ``3. …; 4. mereka``."""
_OF_EDITOR = re.compile(
    r"\[(?:amending|enacting|repealing|adding|substituting|omitting|transferring|renumbering|redesignating)\s[^\[\]]*\]"
)
"""What the publisher of a code adds in a quotation: “This Act [amending section 5 of this title] may be cited …”."""
_QUOTED_UNIT = re.compile(r"[^\n]{1,40}\d[^\s.]{0,8}")
"""A unit with its number, in straight quotation marks: they are words of another law, also without a colon before."""
_ALONE_AFTER = re.compile(r"[\s、，。（(「；：→是ぁ-ねは-ゖ]")
"""The character before a number of an article without 第. It is not の: 次の二条 are two articles."""
_AS_AMENDED = re.compile(
    ",? (?:as amended(?: from time to time)?|tel(?:le)? que modifiée?|in der jeweils geltenden Fassung"
    "|e successive modific(?:he|azioni)(?: e integrazioni)?|y sus (?:modificaciones|reformas)|e suas alterações)\\Z"
)
"""Words between the name of a law and the bracket with its short name: *the Code of 1986, as amended (the “Code”)*."""
_CURRENCY = re.compile(
    "ARS|AUD|BRL|CHF|CNY|COP|CZK|DKK|EUR|GBP|HKD|HUF|IDR|INR|JPY|KRW|MXN|NOK|NZD|PEN|PLN|RUB|SEK|SGD|THB|TRY"
    "|TWD|USD|UYU|VND|ZAR"
)
"""Short names of currencies that are none of laws, as CAD and CLP are."""
_AMENDED = re.compile(
    "(?:修改|修正)《([^》]{2,60})》的[决決]定"
    r"|(?i:(?:lag|förordning) om ändring i )((?:lag|förordning)en .{2,120}|\w+(?:lag|balk)en.{0,20})"
)
"""The law that a decision amends: its own parts have no numbers of articles."""
_AMENDS = re.compile(r"\bamend")
_NUMBER_OF_LAW = re.compile(r",? (?:n\.|n°|nº|nr\.?|no\.?) ?(\d{1,4})(?![\d/])")
"""The number of a law behind *the said law*, without its year."""
_OF_SECTION = re.compile(r"\d\(\d{1,3}\)\([a-z]{1,3}\)\Z")
"""The end of a paragraph with the section that it is in: ``paragraph 34(1)(f)`` in Canada."""
_LISTED = re.compile(r",[ \xa0](?:[^\W\d_]{1,5}[ \xa0'’]){0,2}")
"""Between two articles of a list: a comma, a preposition and an article."""

_SMALL_WORDS = re.compile(r"(?:[^\W\d_]{1,5}[ \xa0'’]){1,3}\Z")
"""Prepositions and articles before a unit."""
_DETERMINER = re.compile(r"\A(?:el|los|las?|les?|l|il?|gli|lo|os?|as?)\Z")
_LARGEST_DAY = 31
_IS_YEAR = re.compile("(?:19[5-9]|20[0-4])\\d")
_PARTICIPLE = r"[^\W\d_]{2,20}(?:[aiu]t[aeio]|st[aeio]|[aií]d[ao]s?|chos?|és?|ées?|[uû]e?s?|its?|ites?|ises?|ed)[ \xa0]"
_PARALLEL = re.compile(
    r"[^.;:\n()\d]{0,90}[ \xa0](?:und|and|et|e|ed|y|i|oraz|a|während|while|whereas|mientras que|tandis que|mentre)"
    r"(?![^\W\d_]),?[ \xa0]?(?:(?:[^.,;:\n()\d]{1,60}[ \xa0])??"
    rf"(?!(?:die|der|das|den|dem|zu[mr]?)[ \xa0]|{_PARTICIPLE})[^\W\d_]{{2,24}}[ \xa0])?"
)
"""Between two places where a law states something: *defines mooring in section 1 and prohibits in section 2 …*."""
_OBJECT = re.compile(
    r"[ \xa0](?:[^\W\d_]{1,3}[ \xa0'’])?[^\W\d_]{4,24}"
    r"(?:[ \xa0](?:d[ei]l?|d[ei]l[l’'][ae]?|des|du|of|of[ \xa0]the)[ \xa0]?"
    rf"(?!{_PARTICIPLE})[^\W\d_]{{4,24}}"
    r"|[ \xa0](?:zu[mr]?|de[rsn]|vo[nm]|bei|beim|gegen|für|über|mit|auf|am)(?:[ \xa0](?:de[nmrs]|die|das|eine[nmrs]?))?"
    r"[ \xa0](?-i:[A-ZÄÖÜ])[^\W\d_]{3,30})?"
    r"(?:[ \xa0](?:und|and|et|y))?,?[ \xa0]?"
)
"""A noun between a verb and the place where a law states it: no participle may follow it."""
_STATEMENT = re.compile(
    r"(?:[ \xa0](?!(?:che|cui|dont|qui|que|who|which|that|kt[óo]r\w{1,3})[ \xa0])[^\s.,;:()\d]{1,30}"
    r"(?:,(?=[ \xa0][^\W\d_]{2,20}(?:,|[ \xa0](?:and|or|und|oder|et|ou|y|o|e|i|oraz|lub)[ \xa0])))?){1,16}"
    r"(?<![ \xa0](?:die|der|das|den|dem))(?<![ \xa0]cui),?[ \xa0]?"
)
"""An object of any length between a verb and the place where a law states it."""
_ENDS_IN_PARTICIPLE = re.compile(rf"(?<![^\W\d_]){_PARTICIPLE}\Z")
_ATTACHED = re.compile(
    r"(?:(?<=[a-z])\.\d{1,2}|(?<=bis|ter|ies)[-/]\d{1,2}|(?<=[\dº])-?[A-Z]{1,2}|(?<=\d)-[a-z]|(?<=\d)-(?![IVX]{3})[A-Z]{3}|(?<=[A-Z])\.\d{1,3}(?:[-/]\d{1,3})?"
    r"|(?<=\d)-?[a-z]{3,12}\d{1,2})(?![^\W_]|[./-]\d)"
    r"|(?<=\d)(?:\.\d{1,3}){3,7}(?![\w/]|\.\d)"
    r"|[ \xa0-]?(?i:qu[aá]ter|[a-z]{0,10}(?:quinqu|sex|sept|oct|nov|non|dec|vic)ies)(?![^\W\d_])"
)
"""An end of a number that no grammar need list: ``416-bis.1``, ``29-A``, ``235-b``, ``3 Quáter``, ``2.2.4.6.8``."""
_SMALL_WORD = re.compile(r"(?:\b[a-zà-ÿ]{1,3}|['’])[ \xa0]?\Z")
"""A word after which no verb stands, so that what ends a name of a law is a noun: *loi sur le crédit*."""
_RAISED = re.compile(r"\A\s?[(\[](\d{1,2})[)\]]")
"""Raised number of an article in plain letters: art. 385(1), 385[1]."""
_LETTERED = re.compile(r"[-‑–][A-Z]{1,2}(?!\w)")
"""Letter of a number behind a dash: 17-A."""
_NO_WORD = re.compile(r"[bcdfghjklmpqrstvx](?![\w.'’])")
"""A small letter alone that is a word in no language of one alphabet."""
_LETTER_AND_DIGIT = re.compile(r"[a-zđ]\d{1,2}")
_DIGITS = re.compile(r"\d+")
_LABEL_OF_ARTICLE = re.compile(
    r"(?:[º°]?\.[-–—]|\.|\.?[º°](?=.\w[ \xa0a-zà-ÿ])(?!.(?:Código|Lei|Decreto|Const)))[ \xa0]"
    r"(?:[A-ZÀ-ÖØ-ÞĄ-Ż]|§|\(?1[.)]|[(\[][^\W\d_][^()\[\]\n]{2,60}[)\]]\.?(?=\s|\Z))|\)[A-ZÀ-ÖØ-ÞĄ-Ż]"
)
"""What is behind the label of an article, ``Art. 49. The …``, ``Art. 389. § 1.``, ``§ 3. (uchylony)``; also a note:
``§ 14)W``."""

_OF_LAW = re.compile(
    r"(?i:\s\S{1,5}\s(?:(?:la|le|the|il|der|dem|de)\s)?)(?:(?i:this|pr[ée]sent\w?|cet(?:te)?|ce|quest[oa]|presente"
    r"|est[ae]|dies\w{1,2}|deze)\b|[A-ZÀ-Þ][\w-]+(?:\s[\w-]+){0,4}\s(?:Act|Law|Code)\b)"
)
"""Behind *the schedule*: ``to this Act``, ``du présent décret``, ``to the Pier Act``."""
_FAR = 2_000
"""Characters before *the schedule* in which *a schedule* is looked for."""
_LONGEST_SECTION = 20_000
"""Characters of an inserted section before a reference in which its number is looked for."""
_RUN_IN = re.compile(r"[ \xa0][A-ZÀ-ÖØ-Þ][a-zß-ÿ]{0,20}[ \xa0][a-zß-ÿ]")
_QUOTED_LETTER = re.compile(r"[\"'“‘«]( ?[A-Za-z]{1,4} ?)[\"'”’»]")
_QUOTED_LETTERS = re.compile(
    r"(?<![^\W_])(?:al[ií]neas?|incisos?|letras?|letter[ae]|lett\.|lit\.|bokstav(?:en)?|points?)"
    r"(?:(?: ?,| (?:[aeoy]|ou|et|and|or))? ?[\"'“‘«] ?[A-Za-z]{1,4} ?[\"'”’»]){1,12}"
    r"|(?<=[IVX], )[\"“][a-z][\"”](?:(?:,| e)? [\"“][a-z][\"”]){1,12}"  # art. 22, III, "a" e "b"
)
_ORDINAL_O = re.compile(r"(?<=\d)o(?![^\W_])")
_AMENDED_BY = re.compile(r"<(?=[^\W\d])[^<>]{1,80}(?<!\d)(?:\d{4}-\d\d-\d\d|\d\d-\d\d-\d{4})(?!\d)[^<>]{0,300}>")
"""The note of an editor on an amending act: ``<L 2015-01-01/01, art. 3, 002; En vigueur : 01-07-2015>`` (Belgium)."""
_HYPHEN_AND_BLANK = re.compile(r"([-‐–]) ")
_WORD = re.compile(r"[^\W\d_]+")
_AGAIN = re.compile(r"[^\W\d_]{1,8}[.°º](?=\s)")
"""The shortened word for a unit, which each member of a list may have."""
_NOUNS = re.compile(r"((?:các|những) )?(§|[^\W\d_])", re.IGNORECASE)
"""The words before a number."""
_SPELLED = re.compile(r"(?<![\]\w])[^\W\d_]{2,}")
"""A word in the pattern of a law."""
_ROMAN_OR_SHORT = re.compile(r"[IVXLC]+|.{1,4}")
_NO_NUMBER = re.compile(
    r"\d{1,2}([./-])\d{1,2}\1(?:19|20)\d\d(?!\d)|\d{1,5}/(?:19|20)\d\d(?!\d)|\d{1,9}(?:[.,]\d{1,9})?[ \xa0]?[%‰％€£]"
)
"""A date, a number of a law, a share or a price, which are not numbers of a provision."""
_WORD_BEFORE = r"(?:[^\W\d_]{1,6}[.°º][ \xa0]?|[^\W\d_]{1,20}[ \xa0]){0,2}?"
_TOKEN = (
    r"(?:[(（](?:\d{1,4}[^\W\d_]{0,3}|[^\W\d_]{1,2}|[ivx]{3,5})[)）]|\d{1,4}(?:[^\W\d_]{1,3}|[.°º])?\)?|[IVX]{1,5}"
    r"|[A-Z]{2}|[ivx]{3,5}\)?|(?![àéèó])[^\W\d_](?:[^\W\d_]?\))?)(?![^\W_]|°)"
)
_BRACKETED = rf"[(（\[](?:[^()（）\[\]]|[(（][^()（）]{{0,60}}[)）]){{1,{_REACH}}}[)）\]]"
_ABBREVIATION = re.compile(
    r"\((?![IVXLC]+\))([^\W\d_]\w{1,12}(?: (?:[IVX]{1,5}|\d{4}|[A-Z]\w{2,20}))?|(?:[^\W\d_]{1,5}\.){2,5}"
    r"|(?:[^\W\d_]\.){1,4}[^\W\d_]|(?:[^\W\d_][ \xa0]){1,4}[^\W\d_]|(?:[^\W\d_]{3,5}\.[ \xa0]?){2,3})"
    r"(?:[;,] (?:SR|RS|BGBl|LGBl)[^()]{1,30})?\)"
)
"""A short name in capitals that brackets behind a law introduce: ``Consolidação das Leis do Trabalho (CLT)``, or one of
letters or shortened words: ``(C.P.C)``, ``(ق م ج)``, ``(cod. cons.)``."""
_MORE_OF_NAME = re.compile(r"(?:,? [^\W\d_][^\W\d_'’-]{0,30}){1,12}")
"""Words after what a pattern takes for the name of a law."""
_AFTERWARDS = re.compile(rf"[ \xa0]?{_BRACKETED}")
_NOTED_NUMBER = re.compile(r"\d{1,4}[A-Z]{0,4}(?:\([\w.]{1,5}\)){0,4}[ \xa0]\([A-Za-z]{2}")
_LISTED_NOTE = re.compile(rf"{_BRACKETED}[ \xa0]")
"""A number with a note behind it, and a note before an article, in a list."""
_SHORT = re.compile(
    r"(?:\w+ )?[^\W\d_a-zß-ÿ]{2,}|(?:[^\W\d_]{1,5}\.[ \xa0]?){2,5}|(?:[^\W\d_]\.){1,4}[^\W\d_]|(?:\w+ ){1,3}\d{4}"
)
"""A short name that cannot be a common word: *Wet OB*, *c.n.*, *loi de 1965*"""
_END_OF_NOTE = re.compile(r"[\"'”»“’]?[)）]")
"""The end of the brackets that a short name stands in."""
_UNREAD = re.compile(
    rf"[ \xa0]?{_BRACKETED}|,?[ \xa0]{_WORD_BEFORE}{_TOKEN}|,\s[^,;:.()\d\n]{{2,60}}(?=,)|[/.·-][^\W_]{{1,6}}(?![^\W_])"
)
"""Between a number and its law: a note in brackets, a unit, or a phrase in commas."""

_BEGINS_SENTENCE = re.compile(r"\.[ \xa0][A-ZÀ-ÖØ-Þ][^\W\d_]{4,30}[ \xa0][^\W\d_]")
"""A word behind a full stop that begins a sentence."""

_SHORT_NAME = re.compile(
    r"(?<![\w.])(?:(\w{2,20})[ \xa0])?((?:[^\W\d_]{1,5}\.[ \xa0]?){2,5}|[^\W\d_]{2,10}(?: ((?:19|20)\d\d))?),?\Z"
)
"""A word and, after it, a short name of a law in capitals or with full stops, at the end of a text."""

_THIS = re.compile(
    r"(?i:\b(?:présente?|presente|this|diese[srm]?|deze|dit|niniejsz[aey]|denna|est[ea]|quest[oa]) ([^\W\d_]{3,20}))"
    r"[^.;:\n]*\Z"
)
"""Words for the own law with what follows them in the sentence."""
_NATIONAL = re.compile(r"(?<=[A-Z]{2})[ \xa0][a-zà-ÿ]{5,12},\Z")
"""The adjective of a state between a short name and a comma: ``CO suisse,``."""
_ABBREVIATED = re.compile(r"[ \xa0](?:§|[^\W\d_]{1,5}\.)")
_COMMON = (
    "insb|bzgl|bzw|ggf|vgl|sog|usw|etc|jf|bl|ult|cpv|et|seq|resp|evtl|inkl|exkl|cf|ca|cit|bspw|betr|gem|entspr|ff|segg"
    "|inc|num|párr|lett|pkt|ust|zw|zit|ecc|alin|lit|abs|satz|nr|bijv|osv|mv"
)
"""Abbreviations that are no names of laws."""
_UNKNOWN_SHORT = re.compile(
    rf"[ \xa0](?!\w{{1,6}}\. ?n\.|(?:{_COMMON})\.|\w{{2,10}}\.[ \xa0]?(?:{_COMMON})\.)"
    r"[^\W\d_A-ZÀ-Þ]{2,10}\.[ \xa0]?[^\W\d_A-ZÀ-Þ]{2,10}\."
)
"""What may be a short name of a law that the grammar does not know."""
_ONE_WORD = re.compile(r"[ \xa0][^\W\d_]{4,20}(?=[ \xa0])")
_LETTER_ALONE = 5
"""Maximum length of such a piece that is a letter or number, behind which a comma may precede the law."""

_PIECES = 5
"""Maximum number of such pieces."""

_ARTICLE = re.compile(r"^(?:(?:el|del|al|the|der|die|das|le|la|il|lo)\s|l['’])", re.IGNORECASE)


class Place(NamedTuple):
    """A place in a law: the place of a text.

    Attributes:
        law: name of the law.
        article: number of the article, empty in an annex.
        paragraph: of the article.
        item: of the paragraph, or of the annex.
        subitem: of the item.
        annex: number of the annex.
        supplement: label of the supplement, ``부칙 123``, or its place in an address, ``supp 2``; then `article` is
            the number of an article in it.
    """

    law: str = ""
    article: str = ""
    paragraph: str = ""
    item: str = ""
    subitem: str = ""
    annex: str = ""
    supplement: str = ""


class Reference(NamedTuple):
    """A reference in a text.

    Attributes:
        surface: the words: ``text[start:end]``.
        start: of the first character.
        end: after the last one.
        law: name of the law as the text has it, or of the law that a short name means; the law of the place for a
            reference inside it; empty if the law of a short name is unknown.
        law_kind: ``self``, ``named``, ``short`` (``법``, ``같은 법``), ``relative`` (``前条``), or ``likely``: the law
            of an article in a sentence before, in a text that is no law itself and does not say which one it means.
        article: number of the article, ``11의2``; empty for a whole law, an annex or a group.
        paragraph: number of the paragraph.
        item: number of the item.
        subitem: number or letter of the sub-item, with what is below in brackets: ``イ(1)``.
        annex: name of the annex: ``별표 2의5``.
        row: of the table of an annex: ``(6)項ロ``.
        group: name of a chapter or part: ``제3장``.
        kind: see `Kind`.
        part: words for a part of the last unit: ``각 호``, ``후단``.
        to: number of the last unit where the words mean several: 2 of ``前二項`` in paragraph 3.
        range_end: whether it closes a range that the reference before it opens.
        counted: level whose number was counted from the place, with the step: ``article -1`` for ``前条``.
        supplement: word for the supplement of an act that has the article, and the number of the act if it is known:
            ``부칙``, ``부칙 123``; that of the place for a reference inside it.
        word: first letter of the word for the article, ``s`` of *Section 5*, or ``§``; empty without an alphabet.
    """

    surface: str
    start: int
    end: int
    law: str = ""
    law_kind: str = "self"
    article: str = ""
    paragraph: str = ""
    item: str = ""
    subitem: str = ""
    annex: str = ""
    row: str = ""
    group: str = ""
    kind: Kind = "cites"
    part: str = ""
    to: str = ""
    range_end: bool = False
    counted: str = ""
    supplement: str = ""
    word: str = ""

    @property
    def state(self) -> State:
        """The state without a collection: never ``resolved`` or ``not in collection``."""
        if self.law_kind != "self" and not self.law:
            return "unparsed"
        if not (self.article or self.annex) and (self.group or not (self.paragraph or self.item)):
            return "unparsed" if self.group else "whole law"
        if self.law_kind == "likely":
            return "ambiguous"
        level = self.counted.split(" ")[0]
        number = {"article": self.article, "item": self.item}.get(level, "1")
        return "read" if not level or number.isdecimal() else "ambiguous"


def read(
    text: str,
    lang: str,
    at: Place = Place(),  # noqa: B008
    names: Mapping[str, str] | None = None,
    labels: bool = True,
) -> list[Reference]:
    """Return the references in a text, in order.

    Args:
        text: the text of a provision, or a part of it.
        lang: its language, ISO 639-1, with or without a script or country: ``zh-Hant``.
        at: the place of the text. Lines that begin with the label of a paragraph or an item move the place.
        names: laws by the short names that the law defines elsewhere, see `learn_names`.
        labels: whether a line or sentence may begin with the number of an article as its heading: ``Section 9. Fees.``

    Raises:
        DataError: the language has no grammar.
    """
    return _reader(lang, _reader(lang, "").variant(f"{text}\n{at.law}\n{lang}")).read(text, at, names or {}, labels)


def place_of(label: str, lang: str, law: str = "") -> Place:
    """Return the place that a label means: ``제13조제2항``, ``/us/usc/t10/s101/a``, ``art_2__para_1``, ``L121-3``.

    The label may also be the number of a provision in a collection: ``supp-2/5`` is article 5 of the second
    supplement. Without a number it is the law alone.

    Raises:
        DataError: the language has no grammar.
    """
    if match := _IRI.fullmatch(label):
        return Place(law or match[1], match[2], *match[3].split("/")[1:4])
    if match := _EID.match(label):
        return Place(law, number_of(match[1]) or match[1], match[2] or "", match[3] or "")
    if _NUMBER_ALONE.fullmatch(label):
        return Place(law, number_of(label))
    if match := _APART.fullmatch(label):
        number, inside = match[2] or "", match[3] or ""
        if match[1] == "annex":
            return Place(law, item=inside, annex=number)
        return Place(law, inside, supplement=f"supp {number}".rstrip())
    references = read(label, lang)
    if not references:
        return Place(law)
    one = references[0]
    annex = number_of(one.annex) or one.annex
    return Place(law, one.article, one.paragraph, one.item, one.subitem, annex, one.supplement)


def learn_names(text: str, lang: str) -> dict[str, str]:
    """Return the laws that a text gives short names, by short name: ``「등대법」(이하 "법"이라 한다)``.

    Raises:
        DataError: the language has no grammar.
    """
    return _reader(lang, "").names(text)


def labelled(text: str, lang: str) -> list[Place]:
    """Return the units of a provision that its labels open, in order: paragraph 1, paragraph 1 item 1, ….

    Raises:
        DataError: the language has no grammar.
    """
    return [place for _, place in reversed(_reader(lang, _reader(lang, "").variant(text + lang)).places(text, Place()))]


@cache
def _reader(lang: str, variant: str) -> _Reader:
    base = lang.replace("_", "-").partition("-")[0].lower()
    if base not in grammars():
        raise DataError(f"There is no grammar of references in {lang!r}, only in {', '.join(grammars())}.")
    if base != lang:
        return _reader(base, variant)
    return _Reader(grammars()[lang].variant(variant) if variant else grammars()[lang])


@dataclass(slots=True)
class _Law:
    """A law that a text names: its name, how it is named, and the words."""

    name: str
    kind: str
    start: int
    end: int


@dataclass(slots=True)
class _Draft:
    """A reference that is being read: numbers by level as the text has them; `level` is the deepest."""

    start: int
    end: int
    level: str
    law: _Law | None = None
    numbers: dict[str, str] = field(default_factory=dict)
    relation: str = ""
    steps: int = 0
    part: str = ""
    range_end: bool = False
    several: dict[str, str] = field(default_factory=dict)
    inherits: bool = False
    taken: tuple[str, ...] = ()
    supplement: str = ""
    plural: bool = False  # Whether the word for an article is a plural, and not an abbreviation of both.
    mark: str = ""  # First letter of the word for an article, or §.
    postposed: bool = False  # Whether the article is behind the paragraph: the third paragraph of article 2.
    spread: bool = False  # Whether each article that follows has its units: paragraph 1 of articles 5 and 6.
    own: bool = False  # Whether it changed what the text is about, as a provision of the own law.

    @property
    def highest(self) -> int:
        """Rank of the highest level that the words give."""
        own = {*self.numbers} - {*self.taken, *({"group"} if self.level != "group" else ())}
        ranks = [RANKS["deeper" if self.is_deeper else each] for each in own]
        related = self.relation if "relation" not in self.taken else ""
        return min([*ranks, RANKS[related.partition("_")[2]]] if related else ranks, default=0)

    @property
    def is_deeper(self) -> bool:
        """Whether the words give a unit below a subitem alone: ``clause (ii)``."""
        return {*self.numbers} == {"subitem"} and self.numbers["subitem"][:1] == "("

    @property
    def word(self) -> str:
        """The mark, if it is of an alphabet or a sign: those of Chinese, Japanese and Korean are all alike."""
        return self.mark if self.mark < _WIDE else ""

    @property
    def is_inside(self) -> bool:
        """Whether the words give no article or the like: ``paragraph 2``."""
        return not self.relation and not {"article", "annex", "group"} & self.numbers.keys()

    def above(self, level: str) -> dict[str, str]:
        return {each: number for each, number in self.numbers.items() if RANKS[each] < RANKS[level]}

    def inherit(self, before: _Draft) -> None:
        """Take what the words leave out: law, supplement and higher units of another draft."""
        highest = min(self.numbers, key=RANKS.__getitem__)
        self.numbers = {**before.above(highest), **self.numbers}
        self.law, self.supplement = before.law, self.supplement or before.supplement
        if before.relation and RANKS[before.relation.partition("_")[2]] < RANKS[highest]:
            self.relation, self.steps = before.relation, before.steps
            self.taken += ("relation",)


class _Memory:
    """State of a reader at a place of a text."""

    def __init__(self, at: Place, names: Mapping[str, str]) -> None:
        self.own, self.at = at, at
        self.again = False  # Whether words say that the first one of joined references was cited before.
        self.begins = self.end = 0  # Start of the first one of joined references, end of the last one.
        self.document = 0  # End of the last unit of a document that is no law.
        self.until = -1  # Up to there the text is about another law than the own one.
        self.at_once = -1  # The same for a law that only this sentence changes.
        self.back = -1  # Up to there it is about the own law again.
        self.named_only = -1  # Up to there the articles of a list are those of another law, which is not changed.
        self.outer: list[tuple[Place, int]] = []
        self.labels: list[Label] = []  # Those that come, the next one last.
        self.starts: dict[int, int] = {}  # Depth of each label by its start.
        self.depth = 0  # Of the last label.
        self.lists: list[Place] = []  # What the text was about where each list of labels began that is open.
        self.quotations: list[tuple[int, int]] = []
        self.inserted = -1, ""  # Start of the last quotation with the label of an article, and the article.
        self.names = dict(names)
        self.longer: dict[int, _Law] = {}  # Whose names the patterns cut, by the place where they begin.
        self.laws: dict[str, None] = {}  # That were named, the last one at the end.
        self.outside: dict[str, None] | None = None  # In a quotation, those that were named before it.
        self.last: dict[str, Reference] = {}
        self.units: dict[tuple[str, str], Reference] = {}  # The last one of each level and number.
        self.whole: Reference | None = None  # The last law that was named without a number.
        self.subject: _Law | None = None  # The last law that was named without an article, with the verb after it.
        self.states = False  # Whether there is such a verb: the Pier Act provides in section 5.
        self.introduced = False  # Whether a short name is given to it before the verb.
        self.kept = ""  # The law that the last one only changed.
        # Start and end of brackets in a list, and the start of its member before them.
        self.skipped: list[tuple[int, int, int]] = []
        self.cited: dict[str, str] = {}  # The law of each number that only one other law was cited with.

    @property
    def law(self) -> str:
        """The law that was named last."""
        return next(reversed(self.laws), "")

    def move(self, at: Place, until: int) -> None:
        """Take another law, or one that is unknown, for the one that the text is about, up to a place."""
        self.outer.append((self.at, self.until))
        self.at, self.until = at, until

    def leave(self, place: int) -> None:
        """Go back to the law that the text was about before one that it is no longer about at a place."""
        while 0 <= self.until <= place:
            self.at, self.until = self.outer.pop()

    def label(self, at: Place) -> None:
        """Take the place that a label in the own law opens."""
        if self.outer:
            self.outer[0] = at, self.outer[0][1]
        else:
            self.at = at

    def end_of_list(self, depth: int) -> int:
        """Return the place of the next label that is no deeper, or -1 if there is none."""
        return next((label.start for label in reversed(self.labels) if len(label.numbers) <= depth), -1)

    def end_of_unit(self, unit: Reference) -> int:
        """Return the place of the label behind that of a unit and what is in it, or -1 if there is none."""
        number = unit.subitem or unit.item or unit.paragraph
        coming = self.labels[::-1]
        at = next((at for at, label in enumerate(coming) if label.numbers[-1] == number), len(coming))
        depth = len(coming[at].numbers) if at < len(coming) else 0
        return next((label.start for label in coming[at + 1 :] if len(label.numbers) <= depth), -1)

    def list_over(self, text: str, place: int) -> re.Match[str] | None:
        """Return the end of the list behind a place: of its last item, or where the sentence goes on behind that."""
        depth = next((len(label.numbers) for label in reversed(self.labels) if label.start > place), 0)
        depth *= depth > self.depth
        for over in _LIST_OVER.finditer(text, place):
            quoted = any(place < start < over.start() < end for start, end in self.quotations)
            behind = next((len(one.numbers) for one in reversed(self.labels) if one.start >= over.end()), 0)
            item = 0 < depth <= (behind if over.lastgroup else self.starts.get(over.end(), 0))
            if not quoted and not item and (depth or not over.lastgroup):
                return over
        return None

    def enter(self, depth: int) -> None:
        """Take for a label of a list, in a text about another law, what the text was about where the list began."""
        self.depth = depth
        if self.until < 0:
            self.lists = []
        elif depth <= len(self.lists) and self.lists[depth - 1].law == self.at.law:
            began = self.lists[depth - 1]
            if not (began.article or began.annex):  # 1. § 5 Absatz 1 wird aufgehoben. 2. Absatz 2 wird gestrichen.
                began = began._replace(article=self.at.article, annex=self.at.annex)
            self.at = began
            del self.lists[depth:]
        else:
            self.lists = self.lists[: depth - 1]
            self.lists += [self.at] * (depth - len(self.lists))

    def is_quoted(self, place: int) -> bool:
        """Return True if a place is inside quotation marks; places are asked for in the order of the text."""
        while self.quotations and self.quotations[0][1] <= place:
            self.quotations.pop(0)
        return bool(self.quotations) and self.quotations[0][0] <= place

    def reach(self, place: int) -> None:
        """Take a place as the next one: *that Act* after a quotation is one that was named before the quotation."""
        if (self.outside is not None) != self.is_quoted(place):
            self.laws, self.outside = ({}, self.laws) if self.outside is None else (self.outside, None)

    def name(self, law: str) -> None:
        """Take a law that the text names."""
        if law != _DOCUMENT:
            self.laws.pop(law, None)
            self.laws[law] = None


class _Reader:
    """The grammar of a language as regular expressions."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._patterns = grammar.every_law
        units: dict[str, tuple[str, ...]] = {level: getattr(grammar, level) for level in RANKS}
        groups = [("ignore", grammar.ignore)]
        relations = {"same": grammar.same, "this": grammar.this, "before": grammar.before, "after": grammar.after}
        for relation, words in {**relations, "every": grammar.all_before}.items():
            groups += [(f"{relation}_{level}", forms) for level, forms in words.items()]
        groups += [(f"delegates_{level}", forms) for level, forms in grammar.delegates.items()]
        heads = [(f"unit_{level}", tuple(one for one in units[level] if one[0] != "+")) for level in units]
        # Forms that count only before some words come first, then those only after a law: more general ones follow.
        units = {
            level: tuple(sorted(forms, key=lambda form: (form[0] == "^" or " > " not in form, form[0] != "^")))
            for level, forms in units.items()
        }
        inner = [(f"unit_{level}", tuple(f"+ {one.lstrip('+^ ')}" for one in units[level])) for level in units]
        groups = [(name, forms) for name, forms in groups if forms and not name.endswith("_law")]
        self._flags = re.IGNORECASE if grammar.has_case else 0
        laws = [f"(?P<law_{n}>(?-i:{one.pattern}))" for n, one in enumerate(self._patterns) if not one.after]
        # In an alphabet nothing begins inside a word, which saves most of the time.
        word = rf"{OUTSIDE}(?:" if grammar.has_words else "(?:"
        self._head = self._compiled([*groups, *((name, forms) for name, forms in heads if forms)], word, ")", laws)
        inside = [*((name, forms) for name, forms in inner if forms), ("part", grammar.part)]
        # What follows a unit is compiled when one of its rank was read, which saves most of the time for a short text.
        self._below = cache(
            lambda rank: self._compiled(
                [one for one in inside if one[1] and RANKS.get(one[0].removeprefix("unit_"), 9) > rank]
            )
        )
        every = dict([*groups, *((f"unit_{level}", forms) for level, forms in units.items())])
        again = {"unit_annex": _NUMBERED} if grammar.numbered else {}
        self._exact = cache(
            lambda name: [(*self._of_form(form), _several(form) or again.get(name, "")) for form in every[name]]
        )
        cardinals = ((word, number) for number, words in enumerate(grammar.cardinals, 2) for word in words.split("|"))
        singular = [form for form in grammar.article if "N" in form.split() and form[0] not in "+^"]
        self._has_singular, self._has_dotted = bool(singular), any(". N" in form for form in singular)
        self._singular_words = {
            word for form in singular if "." not in form for word in form.split()[0].casefold().split("|")
        }
        chapters = [form.split()[1].partition("|")[0] for form in grammar.group if form.startswith("N ")]
        self._chapter = chapters[-1] if "^ Z" in grammar.article else ""
        self._has_sections = any("§" in form for form in grammar.article)
        self._ordinals = {word.casefold(): str(number) for word, number in (*grammar.ordinal_numbers(), *cardinals)}
        self._sub = self._any(grammar.sub, rf"(?:[-‐–\xad] ?|{GAP})(?:", f"){NOT_DOTTED}")
        self._closing = re.compile(f" ?[{re.escape(''.join(grammar.closing))}]" if grammar.closing else "(?!)")
        self._glue = re.compile(rf"{GAP}(?:(?:{grammar.alternatives(grammar.glue)}){GAP})?", self._flags)
        self._list = self._any(grammar.list, rf"{GAP}[,，、]?{GAP}(?:", rf"){GAP}")
        self._noun_joined = self._any(grammar.list, r"[^\s。；，,、]{0,10}(?:", ")")
        self._conjoined = self._any(grammar.conjoined, rf"{GAP}[,，、]?{GAP}(?:", ")")
        self._conjoined_before = self._any(grammar.conjoined, r"(?<!\w)(?:", rf"){GAP}\Z")
        self._range = self._any(grammar.range, rf"{GAP}(?:", rf"){GAP}")
        self._until = self._any(grammar.until, "(?:", ")")
        note = rf"(?:{GAP}[(（<〈][^()（）<>〈〉]{{1,80}}[)）>〉])?"
        self._supplement = self._any(grammar.supplement, "(?:", rf"){note}{GAP}")
        self._heading = self._any(grammar.supplement, r"(?m:^)\s{0,4}(?:", rf"){note} ?抄?(?m:$)")
        self._supplement_before = self._any(grammar.supplement, "(?:", rf"){note}{GAP}\Z")
        self._alone = self._any(grammar.alone, f"{GAP}(?:", ")")
        self._amending = self._any(grammar.amending, "(?:", ")")
        noted = rf"(?:{_BRACKETED}|{grammar.alternatives(grammar.until) or '(?!)'})?"
        joined = grammar.alternatives((*grammar.list, *grammar.range)) or "(?!)"
        self._listed_on = re.compile(rf"{noted}(?:[^\W\d]{{1,3}})?{noted}{GAP}(?:[,、]|{joined}){GAP}")
        self._glued = self._any(grammar.glue, "(?:", r")\Z")
        self._commences = re.compile(grammar.commences or "(?!)")
        # In an alphabet they precede what they except: (except section 5).
        around = (rf"[(（]{GAP}(?:", rf"){GAP}\Z") if grammar.has_words else ("(?:", ")")
        self._limits = self._any(grammar.limits, *around)
        self._applied = self._any(grammar.applied, "(?:", ")")
        self._marked = re.compile(grammar.marked or "(?!)")
        self._own_nouns = {noun for form in grammar.this.get("law", ()) for noun in form.split()[-1].split("|")}
        stems = {noun.casefold()[:5] for noun in self._own_nouns}
        stems = {rf"\b{stem}|{stem}\b" if len(stem) < 5 else stem for stem in stems if len(stem) > 2}
        self._kind_noun = re.compile("|".join(sorted(stems)) or "(?!)")
        aforesaid = _around(grammar.aforesaid)
        self._aforesaid_before = self._any(aforesaid[0], r"(?<!\w)(?:", rf"){GAP}\Z")
        self._aforesaid_after = self._any(aforesaid[1], rf"{GAP},?{GAP}(?:", ")")
        changed_by = _around(grammar.changed_by)
        self._changed_by = self._any(changed_by[0], r"(?<!\w)(?:", rf"){GAP}\Z")
        self._changed_after = self._any(changed_by[1], rf"[^,;:()\n]{{0,40}}(?:\([^()\n]{{0,60}}\))?{GAP}(?:", ")")
        self._define = self._any(tuple(one for one in grammar.define if one[-1] != "…"), "(?:", ")")
        self._means = self._any(tuple(one[:-2] for one in grammar.define if one[-1] == "…"), "(?:", ")")
        self._names = [re.compile(rf"(?:{pattern})\Z", self._flags) for pattern in grammar.law_names]
        self._law_number = self._any(grammar.law_number, "(?:", ")")
        self._unnamed = self._any(grammar.unnamed, "(?:", f"){GAP}")
        self._starting = self._any(grammar.starting, "(?:", ")")
        self._changing = self._any(grammar.changing, "(?:", ")")
        self._same_law = self._any(grammar.same.get("law", ()), "(?:", r")\Z")
        same_word = "[同該该此]法(?=.)|其(?=施行|实施|實施)" if grammar.spaceless else "(?!)"
        self._same_word = re.compile(same_word)
        self._this_law = self._any(grammar.this.get("law", ()), "(?:", r")\Z")
        quotes = "|".join(
            rf"{re.escape(pair[0])}[^{re.escape(pair)}]{{2,150}}{re.escape(pair[1])}" for pair in grammar.quotes
        )
        self._quoted = re.compile(quotes or "(?!)")
        self._labels: dict[str, re.Pattern[str]] = {}
        for level, labels in grammar.labels.items():
            headed = _HEADED if level == "article" and " > " not in labels[0] else ""
            caption = "" if grammar.has_case or not grammar.law_before else r"(?:（[^（）\n]{1,40}）\s?)?"
            self._labels[level] = self._any(labels, rf"(?m:^)\s{{0,4}}{caption}(?:", f"){headed}", capture=True)
        self._of = self._any(grammar.of, rf"{GAP}(?:", rf"){'?' if grammar.adjacent_up else ''}{GAP}")
        introduced = grammar.alternatives(grammar.law_after)
        introduced = rf"{GAP},?{GAP}(?:{introduced}){GAP}"
        self._introduced = re.compile(introduced, self._flags)
        self._unknown_unit = re.compile(rf"((?:,?[ \xa0][^\s,;()]{{1,16}}){{1,6}}?)(?={introduced})", self._flags)
        self._both = self._any(grammar.both, rf"{GAP},?{GAP}(?:", r")(?!\w)")
        introduced = rf"(?:{GAP}(?:{grammar.alternatives(grammar.law_after)}))?"
        self._both_before = self._any(grammar.both, r"(?<!\w)(?:", rf"){introduced}{GAP}\Z")
        places = rf"(?:{grammar.pattern('N')}|{grammar.pattern('B')})"
        joined = rf"(?:{grammar.alternatives((*grammar.list, *grammar.range))})"
        self._rest = re.compile(
            rf"(?:{GAP},?{GAP}{joined}{GAP}{places}(?!°)(?: ?{grammar.pattern('B')}){{0,4}}){{0,6}}", self._flags
        )
        moves = [
            ("at_once", _around(grammar.moves_at_once)[1]),
            *((name, _around(getattr(grammar, f"moves_{name}"))[0]) for name in ("list", "sentence", "back")),
            *zip(("after", "before"), _around(grammar.moves), strict=True),
        ]
        moves = [one for one in moves if one[1]]
        self._moves = self._compiled(moves, r"\b(?:" if grammar.has_words else "(?:", ")") if moves else None
        here = {"same": grammar.same.get("law", ()), "this": grammar.this.get("law", ()), "kind": grammar.definite}
        self._law_here = self._compiled([one for one in here.items() if one[1]])
        self._annexed = self._any(grammar.annexed, rf"{GAP}(?:", rf"){GAP}")
        before_it, behind_it = _around([one for one in grammar.its if "…" in one])
        self._its_unit = self._any(tuple(one for one in grammar.its if "…" not in one), r"(?<!\w)(?:", ")")
        verbs, stated_in = _around(grammar.states)
        self._states = self._any(verbs, rf"{GAP},?{GAP}(?:", ")")
        listed = tuple(one for one in verbs if "W" not in one.split())  # The end of codice penale is no verb.
        self._states_listed = self._any(listed, rf"{GAP},?{GAP}(?:", ")")
        self._states_before = self._any(verbs, r"(?:(?<!\w)|(?<=\b[وف]))(?:", rf"){GAP}\Z")
        self._stating = self._any(
            verbs, rf"(?<![\w.-])((?-i:[^\W\d_a-z]\w{{0,9}}[^\W\d_a-z])(?:/\d{{2,4}})?),?{GAP}(?:", ")"
        )
        self._stated_in = self._any(stated_in, r"\b(?:" if grammar.has_words else "(?:", rf"){GAP}\Z")
        about, behind = _around(grammar.topic)
        self._about = self._any(about, "(?:", rf"){GAP}\Z")
        self._topical = (self._any(about, "(?:", ")"), self._any(behind, "(?:", ")"))
        self._behind = self._topical[1] if behind else re.compile("")
        written, writing = _around(grammar.documents)
        self._document_before = self._any(written, "(?:", rf"){GAP}の?{GAP}\Z")
        self._document_after = self._any(writing, rf"{GAP}(?:", ")")
        self._possessed = self._any(grammar.possessed, r"\b(?:", r")")
        self._its_before = self._any(before_it, r"\b(?:", rf"){GAP}\Z")
        self._its_after = self._any(behind_it, rf"{GAP}(?:", ")")
        note = rf"(?:{GAP}[(（][^()（）\n]{{1,80}}[)）])?"
        within = (*grammar.within, *grammar.limits) if grammar.has_words else grammar.within
        self._within = self._any(within, rf"{note}{GAP}([,،(（]?){GAP}(?:", rf"){GAP}")
        self._within_after = self._any((*within, *stated_in), rf"[,،]{GAP}(?:", rf"){GAP}\Z")
        self._within_before = self._any(within, r"(?:\A|[.;:\n]\s?)(?:(?:", r")\s)?(?:[^\W\d_]{1,8}\s)?\Z")
        self._laws = re.compile(
            "|".join(f"(?P<law_{n}>{one.pattern})" for n, one in enumerate(self._patterns)) or "(?!)"
        )
        self._law_words = self._laws.pattern.casefold()
        # "of" may precede a reference; a comma or a note in brackets may follow it.
        kinds = [(kind, *_around(forms)) for kind, forms in grammar.kinds.items()]
        between = grammar.alternatives((*grammar.of, *grammar.law_after))
        note = rf"(?:{GAP}{_BRACKETED})?(?:{GAP},)?{GAP}"
        until = grammar.alternatives(grammar.until)
        word = r"\b(?:" if grammar.has_case else "(?:"
        self._amends = self._any(sum(_around(grammar.kinds.get("amends", ())), ()), "(?:", ")")
        self._kind_before = self._compiled(
            [(kind, one) for kind, one, _ in kinds if one], word, rf"){GAP}(?:(?:{between}){GAP})?\Z"
        )
        self._kind_after = self._compiled([(kind, one) for kind, _, one in kinds if one], f"(?:{until})?{note}(?:", ")")
        bracket = grammar.pattern("B")
        # No (CO), no （删除）, and no （三）, whose level a form of the grammar tells.
        self._bracket = re.compile(rf"(?![(（][一-鿿]){bracket}| (?!\([A-Z]{{2}}\)){bracket}(?![^\W_ก-๛])")
        self._short_laws = [re.compile(one.pattern) for one in self._patterns if one.after and grammar.has_words]
        # How words are written in the patterns of laws, and words before a law, for texts in capitals.
        named = (word for one in grammar.laws for word in _SPELLED.findall(one.pattern) if not word.isupper())
        small = (form.partition(" > ")[0] for form in (*grammar.law_after, *grammar.list, *grammar.of))
        self._small = {word.upper() for word in _WORD.findall(" ".join(small))} if grammar.law_after else set()
        nouns = {noun.upper(): noun.capitalize() for noun in self._own_nouns if len(noun) > 2}
        self._spelled = {word: word.lower() for word in self._small} | {word.upper(): word for word in named} | nouns
        forms = (form.partition(" > ")[0] for level in units.values() for form in level)
        self._unit_words = {word for form in forms for word in re.split(r"[\W_]+", form)}
        self._learned = lru_cache(_TEXTS)(self._short_names)
        self._months = {month: f"{number:02}" for number, month in enumerate(grammar.months, start=1)}
        self._each_law = [re.compile(one.pattern) for one in self._patterns]
        bare = {sign: [f"+ {sign}"] for sign in "ABDKNOSVX"} | {_DOTTED: ["+ N"], "R": ["+ R+"]}
        if grammar.numbered:
            bare[_NUMBERED] = [f"+ {'|'.join(grammar.numbered)} R"]
            bare["R"] += bare[_NUMBERED]
        if grammar.has_bracketed_lists:
            tails = sorted({word for form in grammar.sub for word in form.split()[0].split("|") if word[0].isalpha()})
            bare["N"] += ["+ ( N )", "+ ( N > /|-|–", *([f"+ ( N > {'|'.join(tails)}"] if tails else ())]
            bare["O"] += ["+ ( O )"]
        self._bare = cache(
            lambda level, sign: self._any(
                (*bare[sign], *(one for one in units[level] if one[0] == "+" and sign in one.split())), "", ""
            )
        )

    def variant(self, text: str) -> str:
        """Return the variant of the grammar that fits a text, empty for the grammar itself."""
        return next((where for where in self._grammar.variants if re.search(where, text)), "")

    def _of_form(self, form: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
        """Return the pattern of a form, whose number is a group, and that of what must follow."""
        form, _, ahead = form.partition(" > ")
        patterns = self._grammar.pattern(form, capture=True), self._grammar.ahead(ahead, form.endswith(" N"))
        return re.compile(patterns[0], self._flags), re.compile(patterns[1], self._flags)

    def _compiled(
        self, groups: list[tuple[str, tuple[str, ...]]], before: str = "", after: str = "", more: Sequence[str] = ()
    ) -> re.Pattern[str]:
        alternatives = self._grammar.alternatives
        either = {} if self._grammar.has_words else {"ignore": self._grammar.any_of}
        parts = [f"(?P<{name}>{either.get(name, alternatives)(forms)})" for name, forms in groups]
        every = self._grammar.first([form for _, forms in groups for form in forms])
        inside = "|".join([*more, f"(?={every})(?:{'|'.join(parts)})"]) if groups else "|".join(more) or "(?!)"
        return re.compile(f"{before}{inside}{after}", self._flags)

    def _any(self, forms: tuple[str, ...], before: str, after: str, capture: bool = False) -> re.Pattern[str]:
        inside = self._grammar.alternatives(forms, capture)
        return re.compile(f"{before}{inside}{after}" if forms else "(?!)", self._flags)

    # -- names -------------------------------------------------------------------------------------------------------

    def names(self, text: str) -> dict[str, str]:
        """Return the laws that a text gives short names."""
        return dict(self._learned(text).names)

    def _short_names(self, text: str) -> _Memory:
        """Return the short names that a text gives to laws, and the names of laws that only these show whole."""
        memory = _Memory(Place(), {})
        for match in (*self._define.finditer(text), *self._means.finditer(text)):
            short = _ARTICLE.sub("", next((one for one in match.groups() if one), "").strip())
            opening, law = self._opening(text, match.start() + 1), None
            if match.re is self._means:
                name = self._laws.match(text, _past(_BLANK, text, match.end()))
                law = self._law_of(name, memory) if name else None
            elif opening >= 0:
                law = self._law_before(text, opening, memory) or self._law_ending(text, opening, short, memory)
            elif text[match.start() - 2 : match.start()] == ", ":  # The Pier Act, hereinafter PA, …
                law = self._law_ending(text, match.start() - 2, short, memory)
            if short and law is not None and law.name:
                memory.names.setdefault(short, law.name)
        for match in _ABBREVIATION.finditer(text) if not self._grammar.spaceless else ():
            words = match[1].split()
            capitals = sum(map(str.isupper, words[0])) > 1 or "." in match[1] or max(map(len, words)) == 1
            known = capitals or any(one.fullmatch(match[1]) for one in self._short_laws)
            if known and (law := self._law_ending(text, match.start(), match[1], memory)):
                memory.names.setdefault(match[1], law.name)
        return memory

    def _law_ending(self, text: str, end: int, short: str, memory: _Memory) -> _Law | None:
        """Return the law whose name ends at a place, by the patterns or by its short name behind it."""
        low = max(0, end - _REACH)
        end = low + len(text[low:end].rstrip())
        end = amended.start() if (amended := _AS_AMENDED.search(text, low, end)) else end
        whole: _Law | None = None
        for match in self._laws.finditer(text, low, end):
            if match.end() == end and not self._patterns[int(str(match.lastgroup)[4:])].after:
                return self._law_of(match, _Memory(Place(), {}))
            if _MORE_OF_NAME.fullmatch(text, match.end(), end):
                law = self._law_of(match, _Memory(Place(), {}))
                added = text[match.end() : end]
                if law.end == match.end() and _is_short_for(short, match[0], added):
                    whole = _Law(f"{law.name}{added}", "named", law.start, end)
        if whole:
            memory.longer[whole.start] = whole
        return whole

    def _opening(self, text: str, end: int) -> int:
        """Return the place of the bracket that is open at a place, -1 for none."""
        depth = 0
        for place in range(end - 1, max(0, end - _REACH) - 1, -1):
            if text[place] in _CLOSING:
                depth += 1
            elif text[place] in _OPENING:
                if depth == 0:
                    return place
                depth -= 1
        return -1

    def _law_before(self, text: str, end: int, memory: _Memory, depth: int = _DEPTH) -> _Law | None:
        """Return the law that is named directly before a place."""
        if depth == 0:
            return None
        low = max(0, end - _REACH)
        end = low + len(text[low:end].rstrip())
        if particle := next((one for one in self._grammar.particles if text.endswith(one, low + 1, end)), ""):
            quotes = self._grammar.closing_quotes
            end -= len(particle) if not quotes or text[end - len(particle) - 1] in quotes else 0
        if book := _BOOK.search(text, low, end):
            end = book.start()
        if end > low and text[end - 1] in _CLOSING:
            opening = self._opening(text, end - 1)
            inside = text[opening + 1 : end] if opening >= 0 else ""
            noted = text[low:opening].rstrip()[-1:] in self._grammar.closing_quotes and not self._head.search(inside)
            if not (noted or self._define.search(inside) or self._law_number.search(inside)):
                word = self._word_before(text, low, end, memory, depth) if self._grammar.spaceless else None
                if word or opening < 0 or self._grammar.has_words or self._head.search(inside):
                    return word
            return self._law_before(text, opening, memory, depth - 1)
        if (same := self._same_law.search(text, low, end)) and not self._in_word(text, same.start()):
            level = self._level_of_word(same[0])
            # 같은 법 is the last act, also if a standard was named after it.
            names = (self._family(law, level) for law in reversed(memory.laws) if self._level_of_word(law))
            law_named = next(filter(None, names), memory.law)
            known = [law for law in memory.laws if law and self._level_of_word(law) == level]
            if not self._grammar.has_words and known:
                places = {text.rfind(law, memory.end, same.start()): law for law in known}
                last = max(places)  # 不合港口法所定要件，應依同法
                of_it = last >= 0 and text.startswith(("施行", "实施", "實施"), last + len(places[last]))
                law_named = places[last] if last >= 0 and not of_it else law_named
            elif not self._grammar.has_words and not law_named:
                for noun in reversed([*_LAW_WORD.finditer(text, low, same.start())]):
                    if passing := self._word_before(text, low, noun.end(), memory, depth):
                        return _Law(passing.name, "short", same.start(), end)  # 適用港口法之船舶，依該法第五條
            return _Law(law_named, "short", same.start(), end)
        this = self._this_law.search(text, low, end)
        if this and this[0] not in memory.names and not self._in_word(text, this.start()):
            if not memory.own.law and memory.law:
                return _Law(memory.law, "likely", this.start(), end)  # この法律 in a letter
            mother = self._mother(this[0].strip(), memory.own.law)
            return _Law(mother or memory.own.law, "short" if mother else "self", this.start(), end)
        if end > low and text[end - 1] in self._grammar.closing_quotes:
            for quoted in self._quoted.finditer(text, low, end):
                if quoted.end() == end:
                    name = " ".join(quoted[0][1:-1].split())
                    return _Law(memory.names.get(name, name), "named", quoted.start(), end)
            return None
        return self._word_before(text, low, end, memory, depth)

    def _mother(self, words: str, own: str) -> str:
        """Return the law that the own law carries out, if the words mean it: 本法 in 某法施行細則."""
        ending = next((one for one in self._grammar.mother if own.endswith(one)), "")
        return own.removesuffix(ending) if ending and not ending.endswith(words[1:]) else ""

    def _acronym_before(self, text: str, low: int, end: int) -> _Law | None:
        """Return the law whose short name, by the patterns, ends at a place: *GDPR Article 6*."""
        within = self._within_after.search(text, max(low, end - _WORDS), end)
        end -= text[end - 1 : end] in tuple(_OPENING)  # A CLT (art. 477)
        end = within.start() if within else end - (text[end - 1 : end] in (" ", "\xa0"))
        low = max(low, end - _ITS)
        national = _NATIONAL.search(text, low, end)  # CO suisse, art. 23
        words = _SHORT_NAME.search(text, low, national.start() if national else end) if self._short_laws else None
        unit = words and words[2].casefold() in self._unit_words and not words[2].isupper()  # No comma, but the CO.
        if words is None or unit or _CURRENCY.fullmatch(words[2].rstrip(",")):
            return None
        two = (words[1] or "").isupper() and words[1] != "NB"
        start, name = words.start(2 - two), words[0].rstrip(",") if two else words[2]
        if text[end - 1] == "," and not words[3] and not _ABBREVIATED.match(text, end):
            return None  # The commission of the EU, article 5.
        if not any((law := one.match(f" {name}", 1)) and law.end() == len(name) + 1 for one in self._short_laws):
            return None
        return _Law(name, "named", start, end)

    def _becomes_subject(self, text: str, draft: _Draft, memory: _Memory) -> None:
        """Take a law for the last one; the verb after it is not a part of its name."""
        law = draft.law
        if law is None or not law.name:
            return
        kept = self._changed(text, law.start, memory) or law
        note = _AFTERWARDS.match(text, law.end) or _END_OF_NOTE.match(text, law.end)
        named = note is not None and law.name in memory.names.values()
        given = named and (self._define.search(text, law.start, note.end() if note else 0) is not None)
        if note and note.re is _END_OF_NOTE:  # A short name that its bracket gives.
            given = given or text[law.start : law.end] in memory.names
        plain = note is not None and (given or not self._head.search(text, note.start(), note.end()))
        verb = self._states.match(text, note.end() if note and plain else law.end)
        blank = max(text.rfind(" ", law.start, law.end), law.start)
        last = self._states_listed.match(text, blank) if not verb and not text[blank + 1].isupper() else None
        name = law.name.removesuffix(last[0] if last and last.end() == law.end else "")
        if last and name != law.name and not _SMALL_WORD.search(name):  # Nor that of loi sur le crédit.
            law.name, law.end, verb = name, last.start(), last
            draft.end = law.end
        memory.subject = _Law(kept.name, kept.kind, kept.start, verb.end() if verb else law.end)
        before = self._states_before.search(text, max(0, law.start - _ITS), law.start)  # حدد القانون في المادة 69
        memory.states, memory.introduced = bool(verb or before), given

    def _changed(self, text: str, place: int, memory: _Memory) -> _Law | None:
        """Return the subject if the law at a place changed or approved it: *the Code, approved by Law 7, in its …*."""
        law = memory.subject
        last = law is not None and law.name == memory.law and not _SENTENCE_OVER.search(text, law.end, place)
        return law if last and self._is_changer(text, place, place) else None

    def _kept(self, text: str, start: int, end: int, found: Sequence[Reference], memory: _Memory) -> str:
        """Return the law before one that only changed it, which *that Act* then means: *the Act, amended by Law 7*."""
        last = found[-1] if found else None
        if last is None:
            return ""
        if not self._is_changer(text, start, end):
            clause = _CLAUSE.match(text, last.end, start) if start - last.end < _ITS else None
            return memory.kept if clause and clause.end() == start else ""  # Amended by Law 7 and by Law 8.
        if _SENTENCE_OVER.search(_AFTERWARDS.sub("", text[last.end : start])):  # BGBl. ends no sentence.
            return ""
        return last.law if last.law == memory.law else memory.kept

    def _subject(self, text: str, end: int, memory: _Memory, stop: int) -> _Law | None:
        """Return the law that is the subject of the sentence and states what a place has: *the Act provides in …*.

        Where the own law is known, an object between the verb and the place may be one of the own law.
        """
        law = memory.subject
        low = max(memory.end, end - _REACH)
        words = self._stated_in.search(text, max(0, end - _ITS), end) if self._grammar.states else None
        for one in self._stating.finditer(text, low, stop) if words and self._short_laws else ():
            named = any((law_ := each.match(f" {one[1]}", 1)) and law_.end() > len(one[1]) for each in self._short_laws)
            if named and one.end() <= end:
                law, memory.states = _Law(one[1], "named", one.start(), one.end()), True
                memory.subject = law
        if law is None or law.end < end - _REACH or _SENTENCE_OVER.search(text, law.end, end):
            return None
        if self._possessed.search(text, end, stop):
            other = self._law_here.search(text, law.end, end)
            return law if other is None or other.lastgroup == "kind" else None
        note = _AFTERWARDS.match(text, law.end)
        near = words is not None and not text[note.end() if note else law.end : words.start()].strip(" \xa0,")
        foreign = not memory.own.law or memory.introduced or self._is_marked(text, end)
        foreign = foreign or (near and not self._grammar.has_words)  # An Arabic verb precedes its subject.
        if _IN_NOTE.fullmatch(text, law.end, end):  # The Pier Act (section 5)
            return law
        if not memory.states:  # The Pier Act in section 5
            opens = _OPENS.search(text, max(0, law.start - _ITS), law.start) if words else None
            place = self._stated_in.search(text, max(0, law.start - _ITS), law.start) if opens else None
            topic = place is not None and "," not in text[law.end : end]  # Im Bürgerlichen Gesetzbuch …
            opened = opens is not None and (foreign or topic)
            return law if opened or (near and foreign) else None
        clause = text[:end].rstrip()[-1:] == ";"
        # The Pier Act defines mooring in section 5.
        after = memory.end if memory.law == law.name and law.end < memory.end else law.end
        between = (_OBJECT,) if after == law.end else (_OBJECT, _PARALLEL)
        near = near or (words is not None and any(one.fullmatch(text, after, words.start()) for one in between))
        stated = words is not None and after == law.end and not words[0].casefold().startswith(("under", "by"))
        if words is not None and stated and not near and _STATEMENT.fullmatch(text, after, words.start()):
            near = not _ENDS_IN_PARTICIPLE.search(text, after, words.start())
        return law if near or ((words or clause) and foreign) else None

    def _topic(self, text: str, start: int, memory: _Memory, stop: int) -> _Law | None:
        """Return the law that a sentence is about, of which it names an article."""
        about = self._about.search(text, max(memory.end, start - _ITS), start)
        place = about.start() if about else start
        states = about and (not memory.own.law or self._behind.match(text, stop))
        if states and (law := self._law_before(text, place, memory)):
            memory.subject = law
            return law  # 건축법은 제11조에서 …
        meant = _law_meant(memory.last.get("article"), start) if _AND.search(text, memory.end, place) else None
        again = about is not None and meant and memory.subject and meant.name == memory.subject.name
        if again or any(one.match(text, memory.end) and one.match(text, stop) for one in self._topical):
            return None if _SENTENCE_OVER.search(text, memory.end, start) else meant  # 건축법 제11조는 …, 제14조는 …
        return None

    def _word_before(self, text: str, low: int, end: int, memory: _Memory, depth: int) -> _Law | None:
        """Return the law that words without quotes name directly before a place."""
        for level, family in self._grammar.family.items():
            for word in family.words:
                start = end - len(word)
                if start < low or not text.startswith(word, start):
                    continue
                # 같은 법 시행령, 「등대법」 시행령: the word refers to the law before it.
                act = self._law_before(text, start, memory, depth - 1) if family.suffix else None
                if act and act.end + 1 >= start and (word == family.suffix.strip() or act.kind != "self"):
                    name = self._family(act.name, level) or self._named(act.name, level) if act.name else ""
                    return self._in_full(text, _Law(name, act.kind, act.start, end), memory)
        for short in sorted(memory.names, key=len, reverse=True):
            start = end - len(short)
            if start >= low and text.startswith(short, start) and not self._in_word(text, start):
                return _Law(memory.names[short], "short", start, end)
        for pattern in self._names if text.endswith(self._grammar.law_before, low, end) else ():
            if match := pattern.search(text, low, end):
                group = match.lastindex or 0
                name = " ".join(match[group].split())
                if (same := self._same_word.match(name)) and memory.law:
                    return _Law(f"{memory.law}{name[same.end() :]}", "short", match.start(group), end)  # 同法施行細則
                return self._in_full(text, _Law(name, "named", match.start(group), end), memory)
        acts = self._grammar.family["act"].words if "act" in self._grammar.family else ()
        base = next((memory.names[one] for one in acts if one in memory.names), "")
        for level, family in self._grammar.family.items():
            for word in family.words:
                start = end - len(word)
                if start >= low and text.startswith(word, start) and not self._in_word(text, start):
                    return _Law(self._family(base or memory.at.law, level), "short", start, end)
        return None

    def _in_full(self, text: str, law: _Law, memory: _Memory) -> _Law:
        """Return a law as the own law or its act if its name ends theirs: 桟橋における事故の防止に関する法律."""
        for own in (memory.own.law, self._family(memory.own.law, "act")):
            start = law.start - len(own) + len(law.name)
            if 0 <= start < law.start and law.name and own.endswith(law.name) and text.startswith(own, start):
                return _Law(own, law.kind, start, law.end)
        return law

    def _in_word(self, text: str, start: int) -> bool:
        """Return True if a word for a law is the end of a longer word: 本法 in 基本法."""
        if start == 0 or "\u0e00" < text[start] < "\u0e80":
            return False  # Thai has no spaces.
        if self._grammar.spaceless:
            return _LONGER.match(text, start - 1) is not None
        if not text[start - 1].isalnum() or text[start - 2 : start] == "の他":
            return False
        before, first = (unicodedata.name(sign, "").split(" ")[0] for sign in text[start - 1 : start + 1])
        return before == first or (before, first) == ("KATAKANA", "CJK")

    def _level_of_word(self, words: str) -> str:
        """Return the level whose word ends `words`: ``act`` for ``같은 법``."""
        levels = reversed(list(self._grammar.family.items()))
        return next((level for level, family in levels if words.rstrip().endswith(tuple(family.words))), "")

    def _family(self, law: str, level: str) -> str:
        """Return the law of a level that belongs to the same act, or an empty string if the name does not show it."""
        family = self._grammar.family
        if not law or level not in family:
            return ""
        for own in ("rule", "decree"):
            suffix = family[own].suffix if own in family else ""
            if suffix and law.endswith(suffix.strip()) and law != suffix.strip():
                act = law.removesuffix(suffix.strip()).rstrip()
                return act if level == "act" else self._named(act, level)
        if (own_level := self._level_of_word(law)) not in ("act", ""):
            return law if own_level == level else ""
        return law if level == "act" else self._named(law, level) if own_level == "act" else ""

    def _named(self, act: str, level: str) -> str:
        return f"{act}{self._grammar.family[level].suffix}"

    # -- reading -----------------------------------------------------------------------------------------------------

    def read(self, text: str, at: Place, names: Mapping[str, str], headed: bool = True) -> list[Reference]:
        """Return the references in a text, as :func:`read`."""
        if (small := self._in_small_letters(text)) != text:
            return [one._replace(surface=text[one.start : one.end]) for one in self.read(small, at, names, headed)]
        learned = self._learned(text)
        memory = _Memory(at, {**names, **learned.names})
        memory.longer = dict(learned.longer)
        labels = self.places(text, at)
        moves = self._moves_of(text)
        if self._starting.search(at.law):
            memory.move(Place(), len(text))
        if not at.law and (said := self._unnamed.search(text)) and (default := self._laws.match(text, said.end())):
            memory.move(Place(self._law_of(default, memory).name), len(text))
        if amended := _AMENDED.search(at.law):
            memory.move(Place(amended[1] or amended[2]), len(text))
        if self._grammar.has_words:
            memory.quotations = _quotations(text)
            memory.labels = outline(text, memory.quotations)[::-1]
            memory.starts = {label.start: len(label.numbers) for label in memory.labels}
        lettered = not self._labels and _WHOLE.fullmatch(at.article) is not None and not at.paragraph
        found: list[Reference] = []
        notes: list[tuple[int, int, _Draft]] = []  # Start and end of the open brackets, and the reference before each.
        bare: list[_Draft] = []  # Articles without a law that were read last.
        place = ignored = 0
        while (head := self._head.search(text, place)) is not None:
            while labels and labels[-1][0] <= head.start():
                memory.label(labels.pop()[1])
            while True:
                moved = moves[-1][0] if moves else len(text)
                reached = min(moved, memory.labels[-1].start if memory.labels else len(text))
                memory.leave(min(reached, head.start()))
                if reached > head.start():
                    break
                if moved == reached:
                    self._move(text, moves.pop()[1], memory, found)
                    continue
                label, depth = memory.labels.pop(), memory.depth
                memory.enter(len(label.numbers))
                if lettered:
                    memory.label(_labelled(text, at, label))
                if depth < memory.depth and memory.until < 0:
                    self._move_in_list(text, label, memory, found)
            for quoted in self._quoted.finditer(text, place, head.start()):
                law = self._whole_law(text, quoted)[0]
                # A standard without a number is only mentioned, and is not the standard meant by 같은 기준 2.7.
                if not memory.laws or self._level_of_word(law):
                    memory.name(law)
            memory.reach(head.start())
            kind, level = _unit(head)
            place = head.end()
            if kind in _RELATIONS and head.start() and _HANGUL.match(text, head.start() - 1):
                place = head.start() + 1  # 전조 in 안전조치
                continue
            if kind == "unit" and level == "item" and ignored and self._between(text, ignored, head.start()):
                kind = "ignore"  # 별지 제1호부터 제3호까지
            if kind == "ignore":
                ignored = head.end()
                while sub := self._sub.match(text, ignored):
                    ignored = sub.end()
                continue
            if kind == "unit" and (headed or level != "article") and self._is_label(text, head, level):
                continue
            digit = _DIGITS.search(text, head.start(), place) if kind == "unit" else None
            if level == "annex" and not digit and _is_indefinite(text, head):
                continue
            fraction = digit and digit.start() == head.start() and text[head.start() - 1 : head.start()] == "/"
            if digit and (_NO_NUMBER.match(text, digit.start()) or (fraction and text[head.start() - 2].isdigit())):
                continue
            if digit and len(digit[0]) > 3 and RANKS[level] > 2 and not self._goes_up(text, place, level):
                continue  # 商品番号第1203号, but Nummer 1328 des Anhangs II
            number = (
                kind in ("same", "this", "before")
                and self._grammar.has_case
                and (_ARTICLE_BEHIND if level == "article" else _NUMBER_BEHIND).match(text, place)
            )
            if number and not ((unit := self._below(RANKS[level]).match(text, place + 1)) and unit[0][-1].isalpha()):
                # That section 12 applies: no reference to the section before.
                place = head.start() + 1
                continue
            if kind == "delegates":
                if text[head.start() - 1 : head.start()] not in ('"', "“", "「", "'"):
                    law = self._family(memory.at.law, level)
                    found.append(Reference(head[0], head.start(), place, law, "short", kind="delegates", part=level))
                continue
            outside: _Draft | None = None
            while notes and notes[-1][1] <= head.start():
                _, end, outside = notes.pop()
            inside = notes[-1] if notes else None
            if kind == "unit" and found and self._is_headed(text, found[-1], head.start()):
                memory.move(Place(found[-1].law), len(text))
            drafts, place = self._group(text, head, memory)
            if drafts:
                self._of_documents(text, drafts, memory)
            if not memory.own.law and memory.until < 0:
                self._go_on(drafts)
            if drafts and kind == "unit":
                lower = (
                    outside and drafts[0].highest > RANKS[outside.level] > 0 and not text[end : drafts[0].start].strip()
                )
                join = "unit" if lower else self._between(text, end, drafts[0].start) if outside else ""
                if outside and join:
                    self._join(outside, drafts, join == "range")
                elif inside and drafts[0].law is None:
                    self._belong(text, inside, drafts)
                elif drafts[0].law is None and RANKS[level] <= 1:
                    self._belong_to_law(text, drafts, memory)
            if drafts and kind in _RELATIONS and memory.end:
                drafts[0].range_end = self._between(text, memory.end, drafts[0].start) == "range"  # 第二条から前条まで
            if drafts and memory.until >= 0 and self._changed_by.search(text, head.start() - _WORDS, head.start()):
                for draft in drafts:
                    draft.own = draft.law is None
            points = head.start() < memory.named_only and _POINTS.search(
                text, max(0, head.start() - _ITS), head.start()
            )
            for draft in drafts if points else ():
                draft.own = draft.own or (draft.law is None and draft.is_inside)
            if drafts and (note := self._note(text, place)):
                notes.append((*note, drafts[-1]))
            memory.end = place
            told = self._kind(text, drafts[0].start, place) if drafts else "cites"
            alone = drafts and not any(one.law for one in drafts)
            if alone and memory.until < 0 and self._changes_words(text, place, told, drafts[0], at.law):
                # After subsection (1) insert “…” in another law.
                last = memory.last.get("article")
                foreign = last if last and last.law_kind in _OTHERS else Reference("", 0, 0)
                near = found[-1:] == [last] and "." not in text[found[-1].end : head.start()]
                if last is not None and near and not foreign.law:
                    found[-1] = last._replace(law="", law_kind="short")  # In section 5 (fees), after …
                memory.move(Place(foreign.law, foreign.article, foreign.paragraph), len(text))
            elif drafts and drafts[-1].law is None and told == "amends" and at.law and not drafts[0].relation:
                self._change_with(text, drafts, found, memory)
            if memory.at.supplement and self._amending.match(text, place):
                for draft in drafts:
                    if draft.law is None and set(draft.numbers) == {"article"} and not draft.supplement:
                        draft.law = _Law("", "short", draft.start, draft.start)
            if drafts and found and "annex" in drafts[0].numbers and text[drafts[0].start] == "[":
                near = drafts[0].law is None and not text[found[-1].end : drafts[0].start].strip()
                if near and found[-1].law_kind in _OTHERS:
                    of = found[-1]  # 도로법 시행령 제5조 [별표 1]
                    drafts[0].law = _Law(of.law, of.law_kind, of.start, of.end)
            named = drafts[-1].law if drafts else None
            listed = bool(drafts and bare) and self._is_listed(text, bare[-1], drafts[0])
            if named and named.name and named.kind in ("named", "short") and bare:
                joined = listed and self._is_enumerated(text, drafts, named.name)
                later = named.kind == "named" and self._goes_on_to(text, bare[-1].end, drafts[0], named, memory)
                if joined or later:
                    kind = named.kind if joined or memory.own.law else "likely"
                    found[-len(bare) :] = [one._replace(law=named.name, law_kind=kind) for one in found[-len(bare) :]]
            of_none = [one for one in drafts if one.law is None and (one.mark or "article" in one.numbers)]
            bare = (bare if listed else []) + of_none
            if len(bare) == len(drafts) == 1:
                bare[0].law = self._cited_again(text, bare[0], found)
            memory.kept = kept = self._kept(text, drafts[0].start, place, found, memory) if named else ""
            memory.begins, memory.again = drafts[0].start if drafts else place, False
            for draft in drafts:
                replaced = self._substituted(text, draft.start)
                known = dict(memory.last) if replaced else {}
                if (reference := self._filled(text, draft, memory)) is not None:
                    memory.last = known if replaced else memory.last
                    found.append(reference._replace(kind=told))
                    whole = reference.state == "whole law" and reference.law_kind == "named"
                    titled = _TITLED.match(text, reference.end)  # Kaufrecht (BGB): Mangel, § 434
                    if whole and (titled or " " in reference.law or self._kind_noun.search(reference.law.casefold())):
                        memory.whole = reference
                    if reference.law_kind in _OTHERS and (reference.law or reference.article) and not replaced:
                        memory.name(reference.law)
                        memory.name(kept or reference.law)
                        if reference.law_kind != "likely" and (cited := reference.article):
                            other = memory.cited.get(cited, reference.law) != reference.law
                            memory.cited[cited] = "" if other else reference.law
                    begins = draft.start == 0 or text[draft.start - 1] in "\n„«»“"
                    if memory.until >= 0 and begins and memory.is_quoted(draft.start) and "article" in draft.numbers:
                        memory.inserted = memory.quotations[0][0], reference.article
                    if memory.until >= 0 and reference.law == memory.at.law and not memory.is_quoted(draft.start):
                        annex = reference.annex or ("" if reference.article else memory.at.annex)
                        article = "" if annex else reference.article or memory.at.article
                        units = {each: getattr(reference, each) for each in ("paragraph", "item", "subitem")}
                        memory.at = memory.at._replace(article=article, annex=annex, **units)
        for start, end, before in memory.skipped:
            member = next((one for one in found if one.start == before), None)
            found += self._in_bracket(text, start, end, member, at, memory)
        if _LATER.fullmatch(memory.at.supplement) and self._grammar.commences:
            self._of_amending_act(text, found, at.law)
        every = [one for one in (*found, *self._whole_laws(text, found)) if one.law != _DOCUMENT]
        return sorted(every, key=lambda one: (one.start, one.end))

    def _is_headed(self, text: str, law: Reference, start: int) -> bool:
        """Return True if a law is a line of its own above a unit that begins a line: *Heritage Act 1977* / *s 58*."""
        alone = law.state == "whole law" and text[law.start - 1 : law.start] in ("", "\n")
        return alone and _UNDER_HEADING.fullmatch(text, law.end, start) is not None

    def _in_bracket(
        self, text: str, start: int, end: int, of: Reference | None, at: Place, memory: _Memory
    ) -> Iterator[Reference]:
        """Yield the references in a bracket behind a reference: units without an article are of it: (not paragraph 2).

        Articles are of its law only behind words such as *except*.
        """
        found = self.read(text[start:end], Place(at.law, "" if of else at.article), memory.names)
        limits = found and self._limits.search(text, start, start + found[0].start)
        for one in found:
            one = one._replace(start=one.start + start, end=one.end + start)
            if of and one.law_kind == "self":
                units = [rank for each, rank in RANKS.items() if rank and each != "deeper" and getattr(one, each)]
                inside = min(units, default=1) > 1 and not one.group
                if inside:
                    above = {each: getattr(of, each) for each, rank in RANKS.items() if 0 < rank < min(units)}
                    one = one._replace(**above)
                if inside or limits:
                    one = one._replace(law=of.law, law_kind=of.law_kind)
            yield one

    def _of_amending_act(self, text: str, found: list[Reference], law: str) -> None:
        """Take from the law the articles of the act that made a later supplement, which says when they apply.

        第二条、第六条及び第九条の規定 公布の日
        """
        joints = [self._listed_on.match(text, one.end) for one in found]
        ends = [self._commences.match(text, one.end) for one in found]
        told: dict[int, bool] = {}  # Whether the list that goes on at a reference ends in such words.
        for one, joint, end in zip(reversed(found), reversed(joints), reversed(ends), strict=True):
            told[one.start] = told.get(joint.end(), end is not None) if joint else end is not None
        heads: dict[int, bool] = {}  # Whether the list that comes to a reference begins with a bare article.
        article, inside = "", 0
        for place, (one, joint, end) in enumerate(zip(found, joints, ends, strict=True)):
            bare = one.article and one.law == law and not one.supplement
            alone = one.law_kind == "self" and not self._glued.search(text, max(0, one.start - 3), one.start)
            heads.setdefault(one.start, alone)
            if joint:
                heads[joint.end()] = heads[one.start]
            again = one.article == article and one.start < inside  # 第六条（第二項を除く。）
            if bare and (again or (alone and heads[one.start] and told[one.start])):
                found[place] = one._replace(law="", law_kind="short")
                if not again and (behind := joint or end):
                    article, inside = one.article, behind.end()

    def _in_small_letters(self, text: str) -> str:
        """Return a text without notes on amending acts, whose lines in capitals, such as headings, are as other text.

        A line without a word such as *of* stays, and so does a word of up to four letters, which may be a short name.
        Letters of units have no quotation marks then: ``alíneas "a" e "b"``.
        """

        def small(match: re.Match[str]) -> str:
            word = "n" if match[0] == "N" and match.string[match.end() : match.end() + 1] in ("°", "º") else match[0]
            spelled = self._spelled.get(word) or (word if _ROMAN_OR_SHORT.fullmatch(word) else word.capitalize())
            return spelled if len(spelled) == len(word) else word

        text = _AMENDED_BY.sub(lambda match: " " * len(match[0]), text)
        text = _QUOTED_LETTERS.sub(lambda match: _QUOTED_LETTER.sub(_unquoted, match[0]), text)
        text = _ORDINAL_O.sub("º", text) if "º" in self._grammar.sub else text  # artículo 4o. de la Constitución
        lines = text.split("\n") if self._small else []
        for number, line in enumerate(lines):
            words = {word for word in _WORD.findall(line) if len(word) > 1}  # L. 110-1 is no heading.
            if line == line.upper() != line.lower() and self._small & words:
                lines[number] = _WORD.sub(small, line)
        return "\n".join(lines) or text

    def _between(self, text: str, end: int, start: int) -> str:
        """Return "range" or "list" if only such words are between two places, else an empty string."""
        end = _past(self._until, text, end)
        for name, words in (("range", self._range), ("list", self._list)):
            if (join := words.match(text, end)) and join.end() == start:
                return name
        return ""

    def _note(self, text: str, place: int) -> tuple[int, int] | None:
        """Return start and end of the brackets that open directly behind a reference."""
        opening = _past(_BLANK, text, _past(self._until, text, place))
        if text[opening : opening + 1] not in tuple(_OPENING):
            return None
        depth = 0
        for end in range(opening, min(len(text), opening + _NOTE_LENGTH)):
            depth += (text[end] in _OPENING) - (text[end] in _CLOSING)
            if depth == 0:
                return opening, end + 1
        return (opening, len(text)) if len(text) <= opening + _NOTE_LENGTH else None

    def _belong(self, text: str, note: tuple[int, int, _Draft], drafts: list[_Draft]) -> None:
        """Make references in brackets parts of the unit or law before them: ``(제3호는 제외한다)``."""
        start, end, before = note
        highest = drafts[0].highest
        limited = self._limits.search(text, start, drafts[0].start if self._grammar.has_words else end)
        apart = self._applied.search(text, start, end) or _SUBJECT_TO.match(text, start)
        lower = highest > RANKS[before.level] > 0 and not apart
        if (limited or lower) and drafts[0].numbers and not drafts[0].relation and not drafts[0].supplement:
            self._join(before, drafts)

    def _belong_to_law(self, text: str, drafts: list[_Draft], memory: _Memory) -> None:
        """Make references in brackets parts of the law that is named before: ``「선박법」(제3조는 제외한다)``."""
        opening = self._opening(text, drafts[0].start) if self._grammar.limits and not self._grammar.has_words else -1
        note = self._note(text, opening) if opening >= 0 else None
        if note and self._limits.search(text, *note) and (law := self._law_before(text, opening, memory)):
            for draft in drafts:
                draft.law = draft.law or law

    def _join(self, before: _Draft, drafts: list[_Draft], ranged: bool = False) -> None:
        """Give references what they leave out, from the one before a bracket."""
        drafts[0].range_end = ranged
        for draft in drafts:
            if draft.law is not None or draft.relation or not draft.numbers:
                return
            groups = draft.numbers.keys() & {"group"}
            draft.inherit(before)
            draft.numbers = {each: one for each, one in draft.numbers.items() if each != "group" or groups}

    def _kind(self, text: str, start: int, end: int) -> Kind:
        """Return the kind of joined references from the words around them."""
        before = self._kind_before.search(text, max(0, start - _WORDS), start)
        after = self._kind_after.match(text, end)
        told = {match.lastgroup for match in (before, after) if match}
        return next((kind for kind in self._grammar.kinds if kind in told), "cites")

    def _changes_words(self, text: str, end: int, kind: Kind, draft: _Draft, own: str) -> bool:
        """Return True if the words after a reference change the words of another law than the own one."""
        if not self._moves or kind != "amends" or not self._grammar.has_words:
            return False
        if "article" in draft.numbers and self._grammar.changing and not self._changing.search(own):
            return False
        after = self._kind_after.match(text, end)
        return after is not None and any(sign in after[0] for sign in '”“"»—')

    def _change_with(self, text: str, drafts: list[_Draft], found: Sequence[Reference], memory: _Memory) -> None:
        """Give units that a sentence changes the law of what it changed before: *in section 5, omit subsection*."""
        near: Sequence[Reference] = found[-_SEVERAL:]
        if law := (first := drafts[0]).law:  # In section 5 of the Pier Act, subsection (2) is repealed.
            article = first.numbers.get("article", "")
            near = [Reference("", first.start, first.end, law.name, law.kind, article=article)]
            drafts = [one for one in drafts if one.law is None and one.is_inside]
        noted = [one for one in near if one.surface.count("(") > one.surface.count(")")]  # Ha disposto (con l'art. 31)
        cited = (one for one in reversed(near) if (one.article or one.annex) and one not in noted)
        before = next((one for one in cited if not self._is_changer(text, one.start, one.end)), None)
        foreign = before is not None and before.law_kind in ("named", "short") and before.law not in ("", memory.at.law)
        if not drafts or before is None or not foreign:
            return

        def begins(one: Reference) -> bool:
            return _BEGINS_CHANGE.search(text, max(0, one.start - _ITS), one.start) is not None

        between = _AFTERWARDS.sub("", text[before.end : drafts[0].start])
        over = _SENTENCE_OVER.search(between) or _QUOTATION_OVER.search(between)
        over = over if self._grammar.has_words or not self._changing.search(memory.own.law) else None
        if over or any(one.start > before.start and begins(one) for one in near if one.state == "whole law"):
            return
        if before.kind != "amends" and not begins(before):
            return
        for draft in drafts:
            draft.law = _Law(before.law, before.law_kind, draft.start, draft.start)
            if before.article and draft.is_inside:
                draft.numbers = {"article": before.article, **draft.numbers}

    def _is_changer(self, text: str, start: int, end: int) -> bool:
        """Return True if the law at a place only changed the one before: *amended by Law 7*, not *was amended by*."""
        words = self._changed_by.search(text, max(0, start - _WORDS), start)
        if words and not _PREDICATE.search(text, max(0, words.start() - _ITS), words.start()):
            return True
        return self._changed_after.match(text, end) is not None

    def _is_label(self, text: str, head: re.Match[str], level: str) -> bool:
        """Return True if a unit is a label of a list: ``2° Les phares``, but not ``2° de l'article 5``."""
        line = text.rfind("\n", max(0, head.start() - 5), head.start()) + 1
        if RANKS[level] in (1, 2) and _LABEL_OF_ARTICLE.match(text, head.end()):
            begins = head.start() == line and (line > 0 or head.start() == 0)
            if begins or _SENTENCE_ENDS.search(text, max(0, head.start() - 9), head.start()):
                return True
        if level == "article" and self._is_run_in(text, head):
            return True
        label = self._labels.get(level)
        if label is None or label.match(text[head.start() : head.end() + 64]) is None:
            return False
        first = (line > 0 or head.start() < 5) and not text[line : head.start()].strip()
        if not (first or _LIST_GOES_ON.search(text, max(0, head.start() - 5), head.start())):
            return False
        of = self._of.match(text, head.end())
        return not (of and of[0].strip() and self._head.match(text, of.end()))

    def _substituted(self, text: str, place: int) -> bool:
        """Return True inside of words that replace others: 同項中「船」とあるのは「灯台法第五条の船」とする."""
        if self._grammar.has_case or (opening := text.rfind("「", max(0, place - _REACH), place)) < 0:
            return False
        return text.startswith("とあるのは", opening - 5) and "」" not in text[opening:place]

    def _is_run_in(self, text: str, head: re.Match[str]) -> bool:
        """Return True if an article and its first words begin behind a sentence: *… kapal. Pasal 7 Untuk berlayar …*"""
        sub = self._sub.match(text, head.end())
        end = sub.end() if sub else head.end()
        if not (self._grammar.adjacent_up and _RUN_IN.match(text, end) and head[0][0].isupper()):
            return False  # Elsewhere it may be a name: Section 21 Notices, Artikel 8 Richtlinie
        if not _SENTENCE_ENDS.search(text, max(0, head.start() - 9), head.start()):
            return False
        return self._head.match(text, end + 1) is None and self._law_at(text, end, _Memory(Place(), {})) is None

    def places(self, text: str, at: Place) -> list[tuple[int, Place]]:
        """Return the places that labels at the beginning of lines open, the last first."""
        marks = [(match.start(), "supplement", match) for match in self._heading.finditer(text)]
        marks += [
            (match.start(), level, match) for level, pattern in self._labels.items() for match in pattern.finditer(text)
        ]
        marks.sort(key=lambda mark: mark[:2])
        places: list[tuple[int, Place]] = []
        second = next((match for _, level, match in marks if level == "paragraph"), None)
        unnumbered = second and second.start() > 0 and number_of(next(filter(None, second.groups()), "")) == "2"
        if unnumbered and self._grammar.law_before and at.article and not at.paragraph:
            at = at._replace(paragraph="1")  # A Japanese article numbers its paragraphs from the second one.
            places.append((0, at))
        if self._grammar.unnumbered and at.article and not at.paragraph and "\n" in text:
            begun = {text.rfind("\n", 0, match.end()) + 1 for _, _, match in marks}
            lines = [one for one in _LINE.finditer(text) if one.start() not in begun]
            if second is None and all(one[0][-1] in "。：:" for one in lines):  # Else there are formulas or tables.
                counted = [(one.start(), "line", one) for one in lines]
                marks = sorted([*marks, *counted], key=lambda mark: mark[:2])
        for start, level, match in marks:
            if level == "supplement":
                at = Place(at.law, supplement=at.supplement or _supplement(match[0]))
            elif level == "line":
                at = at._replace(paragraph=str(int(at.paragraph or 0) + 1), item="", subitem="")
            else:
                number = match[0] if level == "article" else next(filter(None, match.groups()), "")
                below = {each: "" for each in ("paragraph", "item", "subitem") if RANKS[each] > RANKS[level]}
                at = at._replace(**{level: number_of(number)}, **below)
            places.append((start, at))
        return places[::-1]

    def _group(self, text: str, head: re.Match[str], memory: _Memory) -> tuple[list[_Draft], int]:
        """Read a reference and the references joined to it in a list or a range."""
        kind, level = _unit(head)
        short: _Law | None = None
        if kind == "law":
            here = self._law_of(head, memory)
            if _CURRENCY.fullmatch(here.name):
                return [], head.end()
            law: _Law | None = here
            draft = _Draft(head.start(), here.end, "group", here)
            after = self._below(-1).match(text, _past(_BLANK, text, head.end()))
            lead = _LEAD.match(text, head.end()) if law and law.name else None
            within = self._within.match(text, head.end()) if law and law.name else None
            inside = law and law.name and self._stated_in.search(text, max(0, head.start() - _ITS), head.start())
            if inside and not within and (verb := self._states.match(text, head.end())) and "," not in verb[0]:
                within = verb  # Im Handelsgesetzbuch regelt § 377 …
            opens = self._within_before.search(text, max(0, head.start() - _ITS), head.start())
            kept = self._changed(text, head.start(), memory) if within else None
            phrase = bool(within and not kept and within[0].count(" ") > 2)  # … with the exception of section 5
            if within and ((within.re.groups and within[1]) or opens or phrase):
                lead = within
                law = _Law(kept.name, kept.kind, head.start(), head.end()) if kept else law
            unit = self._head.match(text, _past(_BLANK, text, lead.end())) if lead else None
            bare = self._patterns[int(level)].bare
            if bare and after and after.lastgroup != "part":
                self._number(text, draft, after, _unit(after)[1])
            elif bare and (number := self._bare("article", "N").match(text, _past(_BLANK, text, head.end()))):
                self._number(text, draft, number, "article")  # Vgl. OR 262
            elif unit and (
                unit.lastgroup in ("unit_article", "unit_annex", "unit_group")
                or (_unit(unit)[0] == "unit" and self._goes_up(text, self._begun(text, unit).end, _unit(unit)[1]))
            ):
                # Harbour Act 1998, section 5; the law of "…, section 5 of the Pier Act" goes before.
                draft = self._begun(text, unit)
                draft.start, draft.law, draft.inherits = head.start(), law, True
                if law and within and lead is within and "," in within[0]:
                    memory.subject, memory.states = law, True  # The Pier Act, in section 5, … and, in section 7, …
            else:
                self._becomes_subject(text, draft, memory)
                return [draft], draft.end
        else:
            draft = self._begun(text, head)
            last = memory.last.get("article") if level == "paragraph" and head[0][0] == "§" else None
            if last and last.word == "§" and self._has_sections and not memory.own.law:
                draft.numbers = {"article": draft.numbers.pop("paragraph"), **draft.numbers}
                draft.level = level = "article"  # § 12 rozporządzenia …, § 13 tego aktu
                draft.mark = "§"
            words = self._supplement_before.search(text, max(0, head.start() - _REACH), head.start())
            if kind == "unit" and words:
                draft.supplement, draft.start = _supplement(words[0]), words.start()
            upper = kind == "unit" and RANKS[level] <= 1
            has_law = upper or (kind == "unit" and draft.supplement)
            law = self._law_before(text, draft.start, memory) if has_law else None
            if law is None and upper and text[draft.start - 1 : draft.start] in tuple(_OPENING):
                offence = _OFFENCE.search(text, max(0, draft.start - _ITS), draft.start - 1)
                end = offence.start() if offence else draft.start - 1
                law = self._law_before(text, end, memory)  # 会社法（25条）, 会社法違反（25条）
                law = _Law(law.name, law.kind, draft.start, draft.start) if law and law.kind == "named" else None
            short = self._acronym_before(text, memory.end, draft.start) if upper and law is None else None
            if not (law or short) and "D" in draft.several.values() and not self._is_alone(text, draft):
                worded = self._is_worded(text, draft)
                draft.mark = "" if self._grammar.has_words else draft.mark  # Del 519 is as il 519.
                topic = self._topic(text, draft.start, memory, draft.end) if worded else None
                going_on = topic or (self._law_going_on(text, draft, memory, joined=False) if worded else None)
                if going_on is None:
                    word = _WORD.match(text, head.start()) if self._grammar.has_words else None
                    return [], word.end() if word and word[0].isalpha() else head.end()  # du L. 2315-65
                law = going_on
            if law:
                draft.law, draft.start = law, law.start
            elif short:
                law = draft.law = short
                draft.inherits = True
                draft.start = draft.start if text[draft.start - 1] in _OPENING else law.start
            elif level == "article" and kind == "unit" and (law := self._law_going_on(text, draft, memory)):
                draft.law, draft.inherits = law, True
            elif (
                kind == "unit"
                and (its := self._its_of(text, draft))
                and "。" not in text[memory.end : its.start()]
                and (memory.law or not self._grammar.spaceless or draft.highest != RANKS["article"])  # 但第五条
            ):
                draft.start = its.start()
                this = _THIS.search(text, max(memory.end, its.start() - _REACH), its.start())
                if this and draft.highest <= RANKS["article"] and self._kind_noun.match(this[1].casefold()):
                    # La présente loi, … ses articles 3
                    draft.law = _Law(memory.own.law, "self", draft.start, draft.start)
                else:
                    self._its_own(draft, memory)
                if draft.law:
                    draft.law.end = draft.start
            act = _ACT.search(text, max(0, draft.start - 12), draft.start)
            if act and draft.supplement in self._grammar.supplement:
                draft.supplement += f" {act[1]}"
        drafts = [draft]
        while True:
            self._extend(text, draft)
            self._ascend(text, drafts, memory)
            end = draft.end
            named = self._thereof(text, drafts, memory) or self._law_after(text, drafts, memory)
            law = draft.law if named and draft.level == "article" else None
            if law and law.kind == "named" and not text[end : law.start].strip(" \xa0,"):
                self._extend(text, draft)  # Art. 360 c.p.c., comma 1
            end = _past(self._until, text, draft.end)
            ranged = self._range.match(text, end)
            join = ranged or self._list.match(text, end)
            following = self._joined(text, join, draft, memory) if join else None
            if following is None and not named and (note := _AFTERWARDS.match(text, end)):
                following = self._after_note(text, note, draft, memory)
            if following is None and (comma := _COMMA.match(text, end)):
                # "e" in "lettera a), e)" is a letter, no word.
                following = self._joined(text, comma, draft, memory)
            if following is None and draft.level == "group" and not named and (of := self._of.match(text, end)):
                unit = self._head.match(text, of.end())
                if unit and unit.lastgroup == "unit_group":
                    following = self._begun(text, unit)  # Titel 10 van Boek 7 BW
            if following is None and draft.level == "group" and named and (within := self._within.match(text, end)):
                unit = self._head.match(text, within.end())
                if unit and unit.lastgroup == "unit_article":
                    law, draft = draft.law, self._begun(text, unit)
                    draft.law, draft.inherits = law, True  # Chapter 8 of the Act, in particular section 69
                    drafts.append(draft)
                    continue
            if following is None and self._grammar.adjacent and not named:
                following = self._beside(text, draft)
            if following is None:
                if not named and self._grammar.law_after and drafts[-1].law is None:
                    self._law_after(text, drafts, memory, unread=_PIECES)
                if all("article" in one.numbers and not ((one.law and one.law.name) or one.relation) for one in drafts):
                    stop = drafts[-1].end
                    subject = self._topic(text, drafts[0].start, memory, stop)
                    subject = subject or self._subject(text, drafts[0].start, memory, stop)
                    if subject is None and drafts[0].law is None:
                        subject = self._law_going_on(text, drafts[0], memory, joined=False)
                    for one in drafts:
                        one.law = subject or one.law or self._aforesaid(text, one, memory)
                elif draft.level == "group" and named:  # Part 3 of the Pier Act contains, in section 5, …
                    self._becomes_subject(text, draft, memory)
                elif self._grammar.possessed and (before := drafts[0].law) and before.start == drafts[0].start:
                    memory.subject, memory.states = before if before.name else None, True
                behind = drafts[-1].law
                if short and behind and behind.end > draft.start and text[drafts[0].start - 1] in _OPENING:
                    listed = all(text[one.start].isdecimal() for one in drafts[1:])
                    if listed and behind.kind == "named":
                        drafts[0].law = behind  # UWV (art. 1 en 2 BW)
                return drafts, max(draft.end, head.end())
            pair = draft.mark == "§" == text[following.start]
            if pair and "paragraph" in following.numbers and "article" not in following.numbers:
                # § 3 ust. 1 i § 4, where another § is a part of an article.
                following.numbers = {"article": following.numbers.pop("paragraph"), **following.numbers}
                following.level = "article" if following.level == "paragraph" else following.level
            bare = bool(_PREFIX.match(text, following.start) or not self._head.match(text, following.start))
            if draft.spread and {*following.numbers} == {"article"} and bare:
                inner = {each: number for each, number in draft.numbers.items() if RANKS[each] > 1}
                following.numbers, following.spread = {**following.numbers, **inner}, True
            following.range_end = following.range_end or ranged is not None
            following.mark, following.plural = following.mark or draft.mark, following.plural or draft.plural
            highest = min(following.numbers, key=RANKS.__getitem__)
            in_brackets = draft.several.get("paragraph") == "B" and text[draft.end - 1] == ")"
            alone = draft.postposed or (in_brackets and self._grammar.brackets)
            if alone and highest == "paragraph" and self._head.match(text, following.start):
                pass  # Section 4(1) and paragraph 3: of the own article, unless another one is named behind it, too.
            elif (
                RANKS[draft.level] >= RANKS[highest]
                or highest in draft.numbers
                # § 5 Abs. 1 Satz 1 und Nummer 3; 6 §:n 1 momentti ja 2 kohta
                or (RANKS[draft.level] > 1 and (draft.part or (self._grammar.lettered and not draft.is_inside)))
                or draft.part.isalpha()  # art. 5º, caput e § 2º
            ):
                above = {each: sign for each, sign in draft.several.items() if RANKS[each] < RANKS[highest]}
                following.several = {**above, **following.several}
                following.taken = tuple(draft.above(highest))
                following.inherit(draft)
                if named and highest == "article":  # The chapter was that of another law.
                    following.taken = ()
                    following.numbers = {each: one for each, one in following.numbers.items() if each != "group"}
                meant = memory.last.get(draft.relation.removeprefix("same_")) if highest == "article" else None
                law = draft.law or (_law_meant(meant, draft.start) if self._grammar.law_before else None)
                conjoined = self._conjoined.match(text, end)
                if law and (conjoined or " " in text[end : following.start].strip()):
                    law = _Law(law.name, law.kind, end, end)  # Those after the words may be of another one.
                lower = RANKS[highest] > 1  # § 5 Abs. 1 BGB und Abs. 2
                other = self._chapter and "group" in draft.numbers and text[following.start].casefold() == "a"
                following.law = law if not other and (not named or conjoined or lower) else None  # RF 2:15 och art. 1
                following.inherits = following.law is not None
            elif draft.level == "group" and draft.law and draft.law.start == draft.start:
                following.law, following.inherits = draft.law, True  # Pier Act, chapter 3 and section 5
            drafts.append(following)
            draft = following

    def _law_going_on(self, text: str, draft: _Draft, memory: _Memory, joined: bool = True) -> _Law | None:
        """Return the law of the article before a bare one, if the bare one is of that law, too.

        Args:
            joined: whether only a word of `conjoined` before it shows that: ``…, a w art. 82``. Else it is so in every
                text that is no statute; in the next sentence, the law is only ``likely``.
        """
        start = draft.start
        words = self._conjoined_before.search(text, max(memory.end, start - _ITS), start)
        last, whole = memory.last.get("article"), memory.whole
        end = min(memory.end, last.end) if last and not joined else memory.end
        over = bool(_SENTENCE_OVER.search(text, end, start) or _NEXT_SENTENCE.search(text, max(0, end - 2), start + 1))
        # In the next sentence, where there is no own law that it may be of.
        likely = (
            not joined and not memory.own.law and "\n" not in text[memory.end : start] and self._begins(text, start)
        )
        if likely and whole is not None and (last is None or last.end <= whole.start):
            last, over = whole, True  # The Pier Act 1990 applies. By section 5 …
        law = _law_meant(last, start) if likely or not over else None
        again = memory.cited.get(draft.numbers.get("article", "")) if likely and last is not whole else ""
        if again and (law is None or law.name != again):
            return _Law(again, "likely", start, start)  # § 5 BGB, § 6 StGB. … die Frist des § 5
        if law is None and likely and not over and last is None and memory.law and not self._grammar.has_words:
            law, over = _Law(memory.law, "likely", start, start), True  # 《港口法》首次规定处罚（第四十三条）
        marked = self._is_in_no_statute(text, start, memory)
        if law is None or (words is None if joined else not marked):
            return None
        if not joined and last and len({last.word, draft.word} - ({""} if self._grammar.has_words else {"", "§"})) > 1:
            return None  # A regulation behind section 5 of an act is none of it.
        law.kind = "likely" if over else law.kind
        if law.kind == "named" and self._grammar.spaceless and memory.own.law and not marked:
            law.name, law.kind = "", "short"  # 依民法第十條……並依第二十條: in a statute, perhaps its own.
        return law

    def _goes_on_to(self, text: str, end: int, draft: _Draft, law: _Law, memory: _Memory) -> bool:
        """Return True if a bare article is of the law that is named after it: *as of article 5 and that of article 6 …*

        So it is after a word such as *and* if an article of the own law would be marked as such or there is no own law,
        and before *both of*.
        """
        start = draft.start
        if self._both_before.search(text, max(0, law.start - _ITS), law.start):
            return not _SENTENCE_OVER.search(text, end, start)
        of = self._introduced.match(text, end)
        if of and (of[0].rstrip()[-1:] == "," or text[of.end() : of.end() + 1] == ","):
            return not _SENTENCE_OVER.search(text, end, start)  # section 45 of, or section 69 of, the Arbitration Act
        alone = self._grammar.law_after and (not memory.own.law or self._is_marked(text, start))
        join = self._list.match(text, end) if alone else None
        clause = _CLAUSE.match(text, join.end()) if join and join[0].strip(" ,").isalpha() else None
        return clause is not None and start <= min(clause.end(), end + _REACH)

    def _go_on(self, drafts: Sequence[_Draft]) -> None:
        """Give articles without a law that of the one before them, as a letter means it: article 8 ECHR, article 3."""
        for before, draft in pairwise(drafts):
            law = before.law if draft.mark == before.mark != "" else None
            if draft.law is None and law and law.name not in ("", _DOCUMENT):
                draft.law = _Law(law.name, law.kind, draft.start, draft.start)

    def _is_listed(self, text: str, before: _Draft, draft: _Draft) -> bool:
        """Return True if only a comma and words such as *en el* part two articles, which the first one has, too."""
        between = _LISTED.fullmatch(text, before.end, draft.start)
        words = [_DETERMINER.sub("", word.casefold()) for word in _WORD.findall(between[0])] if between else []
        own = _SMALL_WORDS.search(text, max(0, before.start - _ITS), before.start)
        run = [_DETERMINER.sub("", word.casefold()) for word in _WORD.findall(own[0])] if own else []
        last = run[: -len(words)][-1:] if words else []
        return bool(words) and run[-len(words) :] == words and not (last and len(last[0]) < 4)

    def _is_enumerated(self, text: str, drafts: Sequence[_Draft], law: str) -> bool:
        """Return True if articles of one law end a list: *el artículo 4, el artículo 6 y el artículo 7 de la Ley*."""
        joins = (text[one.end : two.start] for one, two in pairwise(drafts) if not text[two.start].isdigit())
        of_law = all(one.law and one.law.name == law for one in drafts)
        return of_law and any(len(_WORD.findall(join)) > 1 for join in joins)

    def _aforesaid(self, text: str, draft: _Draft, memory: _Memory) -> _Law | None:
        """Return the law with which an article was cited before, if the words say that it was: *article 5 précité*."""
        law, start = memory.cited.get(draft.numbers["article"]), draft.start
        words = law and (
            self._aforesaid_after.match(text, draft.end)
            or self._aforesaid_before.search(text, max(0, start - _ITS), start)
        )
        return _Law(law, "short", start, start) if law and words else None

    def _cited_again(self, text: str, draft: _Draft, found: Sequence[Reference]) -> _Law | None:
        """Return the law of an article in brackets whose number the sentence cited: *sections 5 to 9 of … (s. 8)*.

        Where the next sentence begins with the number that the last one cited of another law, it is likely that law.
        """
        if not found or not found[-1].law:
            return None
        law, number = found[-1].law, draft.numbers.get("article", "")
        between = text[found[-1].end : draft.start]
        if found[-1].law_kind == "named" and found[-1].article == number and between in (". ", ".\n"):
            return _Law(law, "likely", draft.start, draft.start)
        if text[draft.start - 1 : draft.start] not in tuple(_OPENING):
            return None
        other = _SENTENCE_OVER.search(between) or self._kind_noun.search(between.casefold())
        if other or found[-1].law_kind != "named":
            return None  # And this Act (section 5)
        cited = [one for one in found[-_SEVERAL:] if one.law == law]
        ranges = ((low.article, high.article) for low, high in pairwise(cited) if high.range_end)
        again = any(one.article == number for one in cited) or any(
            can_follow(low, number) and can_follow(number, high) for low, high in ranges
        )
        return _Law(law, "named", draft.start, draft.start) if again else None

    def _is_in_no_statute(self, text: str, start: int, memory: _Memory) -> bool:
        """Return True if a bare unit is not of the own law: the text has none, or words such as *we* show a letter.

        Where laws are named before their articles, the unit must begin its clause: the words before it may be a name
        that is not read. In Chinese this is so only without an own law.
        """
        begins = not self._grammar.law_before or self._begins(text, start)
        marked = (begins or self._grammar.spaceless) and self._is_marked(text, start)
        return memory.until < 0 and (marked or (begins and not memory.own.law))

    def _begins(self, text: str, start: int) -> bool:
        """Return True if no name of a law that is not read can stand before a place: it begins a clause."""
        return (
            self._grammar.has_words
            or text[start] == "§"
            or _CLAUSE_BEGINS.search(text, max(0, start - 8), start) is not None
        )

    def _is_marked(self, text: str, start: int) -> bool:
        """Return True if an article of the own law would be marked as such, by the words around a place."""
        sentence = re.split(r"\n|。(?![」』])", text[max(0, start - _NOTE_LENGTH) : start])[-1]
        behind = text[start : start + _NOTE_LENGTH].partition("\n")[0]
        return self._marked.search(f"{sentence}…{behind}") is not None

    def _is_alone(self, text: str, draft: _Draft) -> bool:
        """Return True if a number of an article without 第 is one of the own law: ``3条1項``, ``3条による``."""
        if not self._grammar.alone or text[draft.start : draft.end].isascii():
            return False
        end = draft.end
        for _ in range(_CHAIN):
            join = self._list.match(text, end)
            head = self._head.match(text, join.end()) if join else None
            if head is None or head.lastgroup != "unit_article":
                break
            end = head.end()
        after = self._below(RANKS["article"]).match(text, end) or self._alone.match(text, end)
        before = draft.start == 0 or _ALONE_AFTER.match(text, draft.start - 1)
        return bool(after and before)

    def _is_worded(self, text: str, draft: _Draft) -> bool:
        """Return True if a number without a word for articles can be one: ``3条``, *el 54*, but not *el 12*."""
        if self._grammar.has_words:
            number = draft.numbers.get("article", "")
            counted = not number.isdecimal() or (int(number) > _LARGEST_DAY and not _IS_YEAR.fullmatch(number))
            return text[draft.start].isalpha() and counted
        alone = self._grammar.alone and not text[draft.start : draft.end].isascii()
        return bool(alone and (not self._grammar.spaceless or _ALONE_AFTER.match(text, draft.start - 1)))

    def _is_of_a_law(self, text: str, end: int, memory: _Memory) -> bool:
        """Return True if a number in a list, which may go on, is one of a law that is named after the list."""
        while more := self._sub.match(text, end) or self._bracket.match(text, end) or _LETTERED.match(text, end):
            end = more.end()
        below = self._below(RANKS["article"])
        if self._grammar.has_words and (unit := below.match(text, _past(self._glue, text, end))):
            end = unit.end()  # Art. 311 cpv. 1 e 314 cpv. 1 CPC
        if rest := self._rest.match(text, end):
            end = rest.end()
            if self._grammar.has_words and (unit := below.match(text, _past(self._glue, text, end))):
                end = unit.end()  # 34 y 170, fracción I, de la Ley de Amparo
        return self._law_at(text, end, memory) is not None

    def _joined(self, text: str, join: re.Match[str], draft: _Draft, memory: _Memory) -> _Draft | None:
        """Return the next member of a list: a unit, or a number alone where the words say that several follow."""
        place = join.end()
        note = _LISTED_NOTE.match(text, place) if self._grammar.has_words else None
        if note and (unit := self._head.match(text, note.end())) and unit.lastgroup == "unit_article":
            memory.skipped.append((note.start(), note.end(), draft.start))
            place = note.end()  # Section 5, or (in the circumstances set out in section 7) section 9, of the Pier Act
        words = self._supplement.match(text, place)
        after = self._head.match(text, words.end() if words else place)
        kind, level = _unit(after)
        if after and draft.several.get(draft.level) and RANKS[draft.level] > 1 and after[0].isdecimal():
            after = None  # Of commi 1 e 2 c.p.c., the second number may be one of either level.
        if after is not None:
            if kind == "unit" and ";" in join[0] and self._is_label(text, after, level):
                return None
            if kind == "unit" and (surface := _WORD.findall(text[draft.start : draft.end])):
                unit = self._below(max(RANKS[draft.level] - 1, 0)).match(text, after.start())
                if after[0].startswith(surface[-1]) and unit and unit.lastgroup == f"unit_{draft.level}":
                    level = draft.level  # Pasal 1 angka 3 dan angka 4
            following = self._begun(text, after, level) if kind == "unit" else None
            numbers = [one.numbers.get("article", "") for one in (draft, following) if one]
            apart = "'" in join[0].replace("’", "'") and len({one[:1].isalpha() for one in numbers}) > 1
            if self._grammar.prefix and apart:
                return None  # L'article L. 1244-2 et l'article 6 de la loi
            if following and words:
                following.start, following.supplement = place, _supplement(words[0])
            return following
        plural = sorted(draft.several.items(), key=lambda one: -RANKS[one[0]])
        one = self._bare("article", "N").match(text, place)
        alone = self._grammar.law_after and "article" in draft.numbers and not draft.relation
        if one and alone and "article" not in draft.several:
            like = is_variant(draft.numbers["article"], one[0])
            like = like or (draft.level == "paragraph" and self._has_paragraph(one))
            written = "article" not in draft.taken or draft.several.get(draft.level) == "B"
            if like or (written and self._is_of_a_law(text, one.end(), memory)):
                plural.append(("article", "N"))  # Section 3 or 4 of the Act, section 5A or 5B.
        # A semicolon ends the list of the lowest level.
        for level, sign in plural[1:] if ";" in join[0] and len(plural) > 1 else plural:
            bare = self._bare(level, sign).match(text, place)
            ranged = join.re is self._range and not draft.plural  # art. 43 ust. 1 pkt 37-41
            last = _DIGITS.match(draft.numbers.get(level, ""))
            near = last and bare and bare[0].isdecimal() and 0 < int(bare[0]) - int(last[0]) < _NEAR
            if sign == _DOTTED and not near:
                continue  # art. 24.1, 9.3 y 120.3
            if bare and (ranged or not self._is_higher(bare, level, draft, memory)):
                before, chain = draft.numbers.get(level, ""), ""
                if sign == "B" and "(" in before and self._grammar.has_words:
                    chain, before = _above(before, bare[0].strip("()（）"))  # 5(a)(1)(A)(iii), (B)
                like = can_follow(before, bare[0].strip("()（）"))
                like = like and (not before.isalpha() or before.isupper() == bare[0].isupper())  # (a)(1)(A), (a)(1)(B)
                behind = draft.law is not None and draft.law.end == draft.end  # art. 5 § 1 k.c., 6
                if behind and RANKS[level] == 1 and self._grammar.has_words:
                    below = self._below(1).match(text, _past(self._glue, text, bare.end()))
                    behind = not below and not self._is_of_a_law(text, bare.end(), memory)
                label = place in memory.starts or ("\n" in join[0] and bare[0][0] in _OPENING)
                if ";" in join[0] and _LABELLED.match(text, bare.end()):
                    label = label or self._opening(text, draft.start) < 0  # 1) art. 29; 2) art. 150
                if label or (sign == "B" and not like) or (sign == "N" and behind):
                    continue
                several = {each: one for each, one in draft.several.items() if RANKS[each] <= RANKS[level]}
                following = _Draft(place, bare.end(), level)
                following.several = {} if "-" in draft.numbers.get(level, "") else dict(several)
                self._number(text, following, bare, level)
                following.several = several | following.several
                if chain:
                    following.numbers[level] = f"{chain}({following.numbers[level]})"
                if level == "subitem" and "row" in draft.numbers:  # 別表第一（六）項イ、ハ
                    row = draft.numbers["row"].partition("項")
                    following.numbers, following.level = {"row": f"{row[0]}項{following.numbers['subitem']}"}, "row"
                closed = self._closing.match(text, following.end - 1) if self._grammar.closing else None
                open_before = not (self._grammar.closing and self._closing.match(text, draft.end - 1))
                far = _NO_WORD.match(text, following.start)  # lit. b und f
                open_before = open_before and not (draft.law and draft.law.end == draft.end)  # c) del decreto, e …
                fits = _is_next(draft, following, level, 26 if far or join.re is self._range else 4)
                if sign == "S" and not fits:  # Các điểm i, s khoản 1
                    up = self._goes_up(text, following.end, level)
                    fits = up or self._law_at(text, following.end, memory) is not None
                if sign not in "XS" or closed or (open_before and fits):
                    return following
        more = self._below(-1).match(text, place)
        inner = "row" if "row" in draft.numbers else "subitem"
        above, bracket, _ = draft.numbers.get(inner, "").rpartition("(")
        if more and more.lastgroup == "unit_deeper" and bracket and text[draft.end - 1] in _CLOSING:  # 제1호13)ㆍ46)
            number = self._read(self._capture("unit_deeper", more)[0], "")
            following = _Draft(place, more.end(), draft.level, several=dict(draft.several))
            following.numbers[inner] = f"{above}({number})"
            return following
        if more and more.lastgroup == f"unit_{draft.level}" == "unit_row":  # 別表第一（一）項から（四）項まで
            return self._begun(text, more)
        if more and more.lastgroup == f"unit_{draft.level}":
            noun = _AGAIN.match(more[0])
            again = noun is not None and noun[0] in text[draft.start : draft.end].split()[-2:]
            if again or (more[0][0].isnumeric() and more[0][-1] > _ALPHABETS):  # N° 2 y N° 24, 제10조 내지 12조
                return self._begun(text, more)
        return None

    def _after_note(self, text: str, note: re.Match[str], draft: _Draft, memory: _Memory) -> _Draft | None:
        """Return the next article of a list after a note in brackets: ``section 5 (fees) and section 6``."""
        ranged = self._range.match(text, note.end())
        join = ranged or self._list.match(text, note.end())
        cites = self._head.search(text, note.start(), note.end())
        if join is None or (cites and not self._grammar.has_words):
            return None
        if _NOTED_NUMBER.match(text, join.end()):  # Section 5 (fees), 6 (fines) or 7 (rates)
            draft.several.setdefault("article", "N")
        following = self._joined(text, join, draft, memory)
        if following is None or following.level != "article":
            return None
        if cites:  # Sections 12 (except subsection (3)) to 15; in front of a word for a unit the list begins anew.
            if not text[following.start].isdigit():
                return None
            memory.skipped.append((note.start(), note.end(), draft.start))
        following.range_end = ranged is not None
        return following

    def _has_paragraph(self, bare: re.Match[str]) -> bool:
        """Return True if a bare number is an article, by the paragraph behind it: ``art. 5 cpv. 1 e 7 cpv. 2``."""
        unit = self._below(RANKS["article"]).match(bare.string, _past(_BLANK, bare.string, bare.end()))
        named = unit is not None and unit.lastgroup == "unit_paragraph" and not unit[0][0].isdigit()
        return named and self._grammar.has_words and not self._grammar.adjacent_up

    def _is_higher(self, bare: re.Match[str], level: str, draft: _Draft, memory: _Memory) -> bool:
        """Return True if a bare number counts articles although a paragraph was named last: ``§§ 8, 26 Abs. 1, 31``."""
        number, article = self._grammar.plain(bare[0]), draft.numbers.get("article", "")
        if level == "article" or number[0] in _OPENING or not article:
            return False
        book, *more = number.split("-")
        if more and article.startswith(f"{book}-"):
            return "article" in draft.several  # articles 311-4 al. 1, 311-14
        unit = self._below(RANKS["article"]).match(bare.string, _past(self._glue, bare.string, bare.end()))
        worded = unit is not None and not unit[0][0].isdigit() and number[0].isdigit()  # arts. 148, I, 153, I, II e V
        if worded and RANKS.get(_unit(unit)[1], 9) <= RANKS[level]:
            # §§ 280 Abs. 1, 241 Abs. 2
            return "article" in draft.several or (level == "paragraph" and self._has_paragraph(bare))
        first, main = _DIGITS.match(article), _DIGITS.match(number)
        if not (first and main and (number.isdecimal() or number[main.end() :].isalpha())):
            return False
        count = int(main[0])
        last = draft.numbers.get(level, "") if self._grammar.has_words else ""  # المواد 1/1 و2 و6
        if "article" not in draft.several:
            far = level == "paragraph" and last.isdecimal() and count > max(int(last) + _NEAR, int(first[0]))
            return far and self._is_of_a_law(bare.string, bare.end(), memory)  # art. 9 cpv. 2 e 29 Cost.
        following = last.isdecimal() and (count == int(last) + 1 or 20 < int(last) < count)
        return not following and (count > 20 or (draft.plural and count > int(first[0])))

    def _beside(self, text: str, draft: _Draft) -> _Draft | None:
        """Return the unit of the same level, or the article after another one, that directly follows a draft."""
        place, level = _past(_BLANK, text, draft.end), draft.level
        bracket = self._bare(level, "B").match(text, place) if draft.several.get(level) == "B" else None
        bracket = None if "\n" in text[draft.end : place] else bracket  # The label of the next line.
        if bracket and can_follow(draft.numbers.get(level, ""), bracket[0].strip("()（）")):
            following = _Draft(place, bracket.end(), level, several=dict(draft.several))
            self._number(text, following, bracket, level)
            return following
        after = self._head.match(text, place)
        beside = after and after.lastgroup in (f"unit_{level}", "unit_article" if "article" in draft.numbers else "")
        return self._begun(text, after) if after and beside else None

    def _ascend(self, text: str, drafts: list[_Draft], memory: _Memory) -> None:
        """Take the higher units that follow the last draft, for all drafts that lack them."""
        last = drafts[-1]
        note = _AFTERWARDS.match(text, last.end) if self._grammar.of and self._grammar.has_words else None
        if note and last.is_inside:
            level = min(last.numbers, key=RANKS.__getitem__, default="article")
            if self._goes_up(text, note.end(), level):  # Subsection (2) (fees) of section 5
                if self._head.search(text, note.start(), note.end()):
                    memory.skipped.append((note.start(), note.end(), last.start))
                last.end = note.end()
        while True:
            of, here = self._of.match(text, last.end), self._head.match(text, _past(_BLANK, text, last.end))
            head = (of and self._head.match(text, of.end())) or here
            if of is None and not (here and (here.lastgroup or "").startswith("same_") and here.start() > last.end):
                return
            kind, level = _unit(head)
            if head is None or kind in ("", "ignore", "delegates", "law") or RANKS[level] > last.highest:
                return
            upper = self._begun(text, head)
            if level == "annex" and "article" in last.numbers and "article" not in last.taken:
                for draft in drafts:  # Article 5 of Annex I is an item of the annex.
                    if "article" in draft.numbers:
                        draft.numbers["item"] = draft.numbers.pop("article")
            lettered = level == last.level == "item" and last.numbers["item"].isalpha()
            if lettered and upper.numbers.get("item", "").isdecimal():  # Point (a) of paragraph 2
                level, upper.level, upper.numbers = "paragraph", "paragraph", {"paragraph": upper.numbers["item"]}
            if self._grammar.brackets and upper.numbers.get("paragraph", "").isalpha():
                for draft in drafts:
                    if draft.is_inside and draft.numbers.get("paragraph", "").isdecimal():
                        draft.numbers = _lowered(draft.numbers)  # Paragraph (1) of subsection (a)
            if level == "deeper" and last.is_deeper and of:  # Sub-clause (ii) of clause (a)
                for draft in drafts:
                    if draft.is_deeper:
                        draft.numbers["subitem"] = upper.numbers["subitem"] + draft.numbers["subitem"]
                last.end = upper.end
                continue
            if RANKS[level] == last.highest:
                # premier alinéa du II: a part of the unit that follows.
                part = kind == "unit" and level in ("paragraph", "item") and level in last.numbers
                if not part or not of or "," in of[0]:
                    return
                inner, outer = (one.numbers.get("item", "") if level == "item" else "" for one in (last, upper))
                if inner.isdecimal() and outer.isdecimal():
                    ranged = self._range.match(text, last.end)
                    if ranged and ranged[0].islower() and int(inner) < int(outer):
                        return  # 4° au 6° de l'article 5
                unlike = len(last.numbers) == 1 and inner.isdecimal() != outer.isdecimal()
                inside = {"subitem": inner} if unlike else {}
                last.part = "" if inside else text[last.start : last.end]
                last.numbers, last.end = {**upper.numbers, **inside}, upper.end  # Numeral 6 del literal a)
                continue
            self._extend(text, upper)
            last.end = upper.end
            noun = _NOUNS.match(text, upper.start)
            several = bool(noun and noun[1]) or (upper.plural and not self._grammar.adjacent_up)
            if several and "article" in upper.several:
                last.several, last.spread = {"article": upper.several["article"]}, True  # Khoản 1 các điều 5, 6
            if upper.relation == "this_group":
                return
            for draft in reversed(drafts):
                own_law = draft.law is not None and not (draft is last and draft.inherits)
                near = draft.relation in ("before_paragraph", "after_paragraph", "before_item")  # número anterior
                written = "article" in draft.numbers and "article" not in draft.taken
                bracketed = "article" in draft.taken and text[draft.start] in _OPENING
                among = level == "annex" and (written or bracketed)  # Sections 2 and 4(2) of, and paragraph 1 of …
                if (RANKS[level] >= draft.highest and level != "annex") or own_law or near or among:
                    break
                above = {each: number for each, number in upper.numbers.items() if RANKS[each] < draft.highest}
                bracket = text[draft.start] in _OPENING  # Subsection (1)(a) and (b) of section 5
                dropped = {each for each in draft.taken if not (bracket and RANKS.get(each, 0) > RANKS[level])}
                own = {each: number for each, number in draft.numbers.items() if each not in dropped}
                if draft.is_deeper and "subitem" in above:
                    own["subitem"] = above["subitem"] + own["subitem"]  # Clause (ii) of subparagraph (A)
                draft.numbers, draft.taken = {**above, **own}, ()
                draft.postposed = level == "article" and draft.level == "paragraph" and not upper.relation
                draft.relation, draft.steps = upper.relation, upper.steps

    def _law_after(self, text: str, drafts: list[_Draft], memory: _Memory, unread: int = 0) -> bool:
        """Take the law that is named after the last draft, for all drafts that lack one.

        Args:
            unread: number of pieces that may be between, such as units that the grammar does not know.
        """
        end = drafts[-1].end
        if not self._grammar.law_after or (drafts[-1].law is not None and not drafts[-1].inherits):
            return self._law_in_note(text, drafts, memory)
        before = [one.law.name for one in reversed(drafts) if one.law and one.law.kind == "named"]
        law, place, inside = self._law_at(text, end, memory, before), end, False
        if not (law and law.name) and "annex" in drafts[-1].numbers and (words := self._annexed.match(text, end)):
            unit = self._head.match(text, words.end())
            inside = unit is not None and unit.lastgroup == "unit_article"  # Anlage 2 zu § 5 des Hafengesetzes
            law = self._law_at(text, unit.end() if unit and inside else words.end(), memory, before) or law
        if law is None and (note := _IN_NOTE.match(text, end)):  # § 5 (BGB)
            noted = self._law_at(text, note.end(), memory)
            alone = (
                noted and noted.kind == "named" and noted.name and text[noted.end : noted.end + 1] in tuple(_CLOSING)
            )
            if noted and alone and self._law_at(text, noted.end + 1, memory) is None:
                law = _Law(noted.name, "named", noted.start, noted.end + 1)
        for _ in range(unread):
            piece = _UNREAD.match(text, place) if law is None else None
            if piece is None or _BEGINS_SENTENCE.match(text, place - 1):
                break
            if (
                piece[0][-1] in _CLOSING
                and piece[0].count("(") < piece[0].count(")")
                and self._opening(text, place) >= 0
            ):
                break  # (report 7, section 5.3 and table 9) followed BS EN
            if head := self._head.search(text, place, piece.end()):
                kind, level = _unit(head)
                if piece[0].strip()[0] in _OPENING:
                    inside = True  # The references in the note are still to be read.
                elif kind != "unit" or RANKS[level] < RANKS["paragraph"]:
                    break
            place = piece.end()
            introduced = piece[0][0] in "/.·-" or (text[place : place + 1] != " " and len(piece[0]) > _LETTER_ALONE)
            law = self._law_at(text, place, memory, before, introduced)
        word = None if law or _BEGINS_SENTENCE.match(text, end - 1) else _ONE_WORD.match(text, end)
        if word and unread:
            # An adjective, or a verb: article 1382 ancien du code.
            words = self._introduced.match(text, word.end())
            usual = words and words[0].strip()[:1] == self._grammar.law_after[0][0]
            other = self._law_at(text, word.end(), memory) if usual else None
            another = other is not None and (other.kind == "short" or (other.kind == "named" and other.name != ""))
            law = _Law("", "short", end, end) if another else None
        short = _UNKNOWN_SHORT.match(text, end) if law is None and unread and not drafts[-1].law else None
        unit = self._head.search(text, end, short.end() + _REACH) if short else None
        if short and not (unit and unit.start() < short.end()):
            drafts[-1].law = _Law("", "short", end, end)  # Art. 5 reg. hip.
            return True
        digit = _DIGITS.search(text, end, end + _WORDS) if law is None and unread else None
        words = self._unknown_unit.match(text, end) if digit else None
        over = words and (_SENTENCE_OVER.search(words[1]) or self._head.search(words[1]))
        if words and not over and _DIGITS.search(words[1]):
            named = self._law_at(text, words.end(1), memory, before, True)  # § 5 Rz. 17 ff. des Aufenthaltsgesetzes
            law = _Law("", "short", end, end) if named and named.kind != "self" and named.name else None
        unnamed = law is not None and law.kind == "named" and not law.name  # Palandt, BGB, § 242 Rn. 12
        if law is None or (unnamed and drafts[-1].law is not None):
            return False
        last = drafts[-1].law
        for draft in reversed(drafts):
            # Art. 5 k.c. w zw. z art. 6 i 7 k.p.c.: 6, too, is of the second one.
            joined = draft is drafts[-1] or (draft.law is last and last is not None and last.start == last.end)
            if (
                (draft.law is not None and not (draft.inherits and joined))
                or (draft.relation.startswith(("this_", "before_", "after_")) and draft is not drafts[-1])
                # Paragraph 2 and Article 5 of the Regulation, but paragraph 34(1)(f) is one of section 34.
                or (draft.is_inside and not (drafts[-1].is_inside or _OF_SECTION.search(text, draft.start, draft.end)))
                # Of "§ 3 und Artikel 6 der Verordnung" only the article is one of the regulation.
                or (draft.mark and drafts[-1].mark and draft.mark != drafts[-1].mark)
            ):
                break
            draft.law, draft.inherits = law, False
        drafts[-1].end = end if inside or law.start == law.end else law.end  # Else unread words precede a law.
        return True

    def _law_in_note(self, text: str, drafts: list[_Draft], memory: _Memory) -> bool:
        """Take a law alone in brackets behind, where laws precede their articles: 327조(형법), 192条（民法）."""
        note = _AFTERWARDS.match(text, drafts[-1].end) if not self._grammar.law_after and not memory.own.law else None
        law = self._law_before(text, note.end() - 1, memory) if note and text[note.start()] in _OPENING else None
        if not law or not note or law.kind != "named" or law.start != note.start() + 1 or not law.name:
            return False
        if memory.document or _LAW_OF_CONTRACT.fullmatch(law.name):  # A heading: 第15条（準拠法）
            return False
        for draft in drafts:
            draft.law = law if draft is drafts[-1] else draft.law or law
        drafts[-1].end = note.end()
        return True

    def _of_documents(self, text: str, drafts: list[_Draft], memory: _Memory) -> None:
        """Mark drafts of documents that are no laws: ``§ 7 des Mietvertrags``."""

        def is_document(start: int, words: re.Match[str] | None) -> bool:
            words = self._document_before.search(text, max(0, start - _ITS), start) or words
            noun, own = _WORD.findall(words[0])[-1].casefold() if words else "", memory.own.law.casefold()
            stem = noun[: 4 if len(noun) < 7 else 6]  # Umowy, of an Umowa.
            return words is not None and not (stem in own if self._grammar.has_words else own.endswith(noun))

        join = _COMMA.match(text, memory.document)
        if join and join.end() == drafts[0].start and all(one.is_inside for one in drafts):
            for draft in drafts:  # Punkt 4 des Gutachtens, Absatz 2
                draft.law = _Law(_DOCUMENT, "named", draft.start, draft.end)
        note = _AFTERWARDS.match(text, drafts[-1].end)
        behind = self._document_after.match(text, drafts[-1].end)
        behind = behind or (self._document_after.match(text, note.end()) if note else None)  # Artt. 5 (Penali) del …
        for draft in drafts:
            alone = "annex" in draft.numbers and not (memory.own.law or (draft.law and draft.law.name))
            if alone and (memory.document or self._document_after.search(text)):
                draft.law = _Law(_DOCUMENT, "named", draft.start, draft.end)  # Clause 7 of the lease and Schedule 4
            law = draft.law if draft.law is None or draft.law.start < draft.law.end else None  # Or it only goes on.
            words = None if law and law.name else behind
            if law and law.start >= draft.start < law.end:
                near = self._document_after.finditer(text, max(draft.start, law.start - _ITS), law.end + _ITS)
                # Not the Lease Reform Act, whose name ends in a word for laws.
                over = (one for one in near if not self._kind_noun.search(text[one.end() : law.end].lower()))
                words = next((one for one in over if one.start() <= law.start < one.end()), words)
            article = _DIGITS.match(draft.numbers.get("article", "")) if draft.mark == "a" and law is None else None
            if article and self._is_of_goods(text, draft, int(article[0])):
                draft.law = _Law(_DOCUMENT, "named", draft.start, draft.end)
            if not self._grammar.has_words and law and law.kind == "named":
                words = words or self._document_before.search(law.name)  # 《房屋租赁合同》第三条
            named = law is not None and law.name and law.start > draft.start  # Nach dem Kaufvertrag § 433 BGB
            start = law.end if law and law.start == draft.start else drafts[0].start
            if is_document(0 if named else start, words):
                draft.law = _Law(_DOCUMENT, "named", draft.start, draft.end)
        if drafts[-1].law and drafts[-1].law.name == _DOCUMENT:
            memory.document = max(drafts[-1].end, behind.end() if behind else 0)

    def _is_of_goods(self, text: str, draft: _Draft, number: int) -> bool:
        """Return True if an article is one that is sold: its number is too large, or large with a price behind it."""
        priced = number > _LARGE and _PRICE.search(text, draft.end, draft.end + _REACH)
        return (number > _LARGEST and draft.numbers["article"].isdecimal()) or bool(priced)

    def _thereof(self, text: str, drafts: list[_Draft], memory: _Memory) -> bool:
        """Take what was named last, if such a word is behind the last draft: article 5 and paragraph 2 *thereof*."""
        last = drafts[-1]
        if (words := self._its_after.match(text, last.end)) is None or last.relation:
            return False
        last.end = words.end()
        for draft in reversed(drafts):
            if (draft.law is not None and not draft.inherits) or RANKS[draft.level] < RANKS[last.level]:
                break
            self._its_own(draft, memory, drafts[: drafts.index(draft)])
        return True

    def _its_of(self, text: str, draft: _Draft) -> re.Match[str] | None:
        """Return the words before a unit, or its own words, that make it a part of what was named last."""
        before = self._its_before.search(text, max(0, draft.start - _ITS), draft.start)
        return before or self._its_unit.match(text, draft.start)

    def _its_own(self, draft: _Draft, memory: _Memory, before: Sequence[_Draft] = ()) -> None:
        """Make a draft a part of what was named last: of an article, or, if it is an article itself, of a law."""
        if draft.highest <= RANKS["article"]:
            laws = (draft.law, *(one.law for one in reversed(before)))  # The Pier Act, in particular section 5 thereof
            law = next((one for one in laws if one and (one.name or one.kind == "self")), None)
            units = (memory.last[level] for level in ("article", "annex") if level in memory.last)
            last = max(units, key=lambda one: one.start, default=None)
            later = last and (memory.subject is None or memory.subject.start < last.start)
            if law is None and last and later and last.law_kind == "self" and self._this_law.search(last.surface):
                law = _Law(last.law, "self", 0, 0)  # Section 5 of this Act, section 7 thereof
            if law is None and last and later and last.law == _DOCUMENT:
                law = _Law(_DOCUMENT, "named", 0, 0)  # § 9 des Mietvertrags sowie dessen Anlage 3
            name, kind = (law.name, law.kind) if law else (memory.law, "short")
            draft.law = _Law(name, "self" if kind == "self" else "short", draft.start, draft.end)
            draft.inherits = False
        elif not draft.relation:
            last = memory.last.get("paragraph")
            if last is None and not memory.last:
                draft.law = _Law("", "short", draft.start, draft.start)  # La sentencia, en sus apartados 3 y 4
            whole = last is not None and last is memory.last.get("article") and draft.highest > RANKS["paragraph"]
            draft.relation = "same_paragraph" if whole else "same_article"

    def _law_at(
        self, text: str, end: int, memory: _Memory, before: Sequence[str] = (), introduced: bool = False
    ) -> _Law | None:
        """Return the law that is named at a place, after a comma or a word such as *of*.

        Args:
            before: laws of the same list, the last first, which *that Act* may mean.
            introduced: whether there must be such a word.
        """
        law: _Law | None = None
        end = both.end() if (both := self._both.match(text, end)) else end
        words = self._introduced.match(text, end)
        comma = _COMMA.match(text, end)
        ends = [one.end() for one in ((words,) if introduced else (comma, words)) if one]
        for place in dict.fromkeys((end, *ends)):
            place = _past(_BLANK, text, place)
            if (here := self._law_here.match(text, place)) and (law is None or here.end() > law.end):
                if here.lastgroup == "kind":
                    name, kind = self._law_of_kind(here[0], memory, before)
                    further = self._introduced.match(text, here.end())
                    match = self._laws.match(text, further.end()) if further else None
                    if further and match and words and len(further[0].split()) < 3:  # del Reglamento de la Ley 5/2001
                        noun = words.end() if words.end() < here.end() else here.start()
                        law = _Law(" ".join(text[noun : match.end()].split()), "named", place, match.end())
                        continue
                    if match:
                        return self._law_of(match, memory)  # del codice di cui al decreto …
                else:
                    own = here.lastgroup == "this"
                    if own and memory.outside and memory.until < 0:  # The Pier Act says: “section 3 of this Act”
                        own, before = False, [*reversed(memory.outside)]
                    meant = "" if own and memory.own.law else self._same(here[0], before, memory)
                    number = _NUMBER_OF_LAW.match(text, here.end())
                    laws = (one for one in (*before, *reversed(memory.laws)) if number)
                    meant = (
                        next((one for one in laws if re.search(rf"(?<!\d){number[1]}(?!\d)", one)), meant)
                        if number
                        else meant
                    )
                    name, kind = (meant, "likely" if own else "short") if meant or not own else (memory.own.law, "self")
                law = _Law(name, kind, place, here.end())
        for place in dict.fromkeys((*(() if introduced else (end,)), *ends)):
            place = _past(_BLANK, text, place)
            match = self._laws.match(text, place)
            given = next((one for one in memory.names if text.startswith(one, place) and _is_short(one)), "")
            if given and (not match or " " in given) and not text[place + len(given) :][:1].isalnum():
                law = _Law(memory.names[given], "short", place, place + len(given))  # Wet OB de aftrek …
            elif match and (law is None or match.end() > law.end):
                near = "," in text[end:place] or (self._grammar.adjacent and not text[end:place].strip())
                if (
                    text[end:place].isspace()
                    and "\n" in text[end:place]
                    and text[match.end() : match.end() + 1] == "\n"
                ):
                    continue  # The law is the heading of what follows.
                bare = near and self._patterns[int((match.lastgroup or "")[4:])].bare
                article = self._head.match(text, _past(_BLANK, text, match.end())) if bare else None
                if not (article and article.lastgroup == "unit_article"):  # § 1983, 28 U.S.C. § 1331
                    law = self._law_of(match, memory)
        return law

    def _same(self, words: str, before: Sequence[str], memory: _Memory) -> str:
        """Return the law that *that Act* means: the last one of this kind, else the last one if its kind is unknown."""
        kinds = set(self._kind_noun.findall(words.casefold())) if self._grammar.has_words else set[str]()
        kinds = {kind for kind in kinds if kind in self._law_words}  # No law is called diploma.
        laws = [*before, *reversed(memory.laws)]
        last = laws[0] if laws else ""
        fits = (law for law in laws if kinds & set(self._kind_noun.findall(self._spelled_kind(law))))
        unknown = last if not kinds or last[:1] == "/" or not self._kind_noun.search(last.casefold()) else ""
        if unknown and _SHORT.fullmatch(last) and any(last[0].casefold() == kind[0] for kind in kinds):
            return last  # Article 700 CPC … du même code
        return next(fits, unknown) if last else ""

    def _spelled_kind(self, law: str) -> str:
        """Return the name of a law in small letters, with the kind that a short form before it means: ``l. n. 241``."""
        low = law.casefold()
        kinds = self._grammar.law_kinds.items()
        kind = next((kind for kind, forms in kinds if low.startswith(tuple(one for one in forms if "." in one))), "")
        return f"{kind} {low}"

    def _law_of_kind(self, words: str, memory: _Memory, before: Sequence[str]) -> tuple[str, str]:
        """Return name and kind of the law of ``of the Act``: one of this short name, else the own law if it is one."""
        noun = words.split()[-1].casefold()
        for short, law in memory.names.items():
            if noun.startswith(short.casefold()[: max(5, len(short) - 2)]):  # Ustawa, ustawą
                return law, "short"
        own = memory.own.law.casefold()
        if _AMENDS.search(own):  # In Regulations Amending the Pier Regulations, the Regulations are these.
            last = next((law for law in (*before, *reversed(memory.laws)) if noun[:6] in law.casefold()), "")
            if last and last != memory.own.law:
                return last, "short"
        stem = noun[: 5 if len(noun) == 6 else 6]  # Ustawy, of an Ustawa.
        if stem in own and (own.startswith(stem) or not self._kind_noun.match(own)):
            return memory.own.law, "self"  # But of the code is none of a Decree to carry out the Code.
        laws = [*before, *memory.laws]
        known = ((law, [*filter(str.isalpha, law.casefold().replace(",", "").split())]) for law in laws)
        base = next((kind for kind, forms in self._grammar.law_kinds.items() if noun in forms), "")
        named = {law for law, each in known if each[-1:] == [noun] and "the" not in each}
        named |= {law for law in laws if base and law.partition(" ")[0].casefold().endswith(base)}
        if len(named) == 1:
            return named.pop(), "short"  # The Internal Revenue Code … of the Code
        if not memory.own.law and (noun in self._own_nouns or stem[:4] in {each[:4] for each in self._own_nouns}):
            laws = [*before, *reversed(memory.laws)]
            kind = (law for law in laws if stem[:4] in law.casefold() and self._kind_noun.search(law.casefold()))
            alike = (law for law in laws if _SHORT.fullmatch(law) and noun[0].upper() in law[-2:])
            plain = laws[0] if laws and not self._kind_noun.search(laws[0].casefold()) else ""
            short = next(kind, "") or next(alike, plain)
            return short, "likely" if short else "self"  # IRC § 409A … § 83(b) of the Code
        return "", "short"

    def _law_of(self, match: re.Match[str], memory: _Memory) -> _Law:
        if longer := memory.longer.get(match.start()):
            return replace(longer)
        number = int((match.lastgroup or "_0").partition("_")[2])
        pattern = self._patterns[number]
        written = name = " ".join(match[0].split())
        end = match.start() + len(match[0].rstrip())
        if pattern.law:
            one = self._each_law[number]  # What follows may be cut off, or else be needed.
            inner = one.match(match.string, match.start()) or one.match(match.string, match.start(), match.end())
            groups = inner.groups("") if inner else ()
            name = pattern.law.format(name, *(self._months.get(one.casefold(), one) for one in groups))
            name = name.strip()
        name = memory.names.get(written) or memory.names.get(name) or name
        if name in self._grammar.definite:  # Kanunun 12 nci maddesi
            own = memory.own.law if memory.own.law.rpartition(" ")[2].startswith(name[:5]) else ""
            return _Law(own, "self" if own else "short", match.start(), end)
        return _Law(name, "named", match.start(), end)

    def _begun(self, text: str, match: re.Match[str], level: str = "") -> _Draft:
        """Return the reference that a unit begins; its level may be another one than that of its form."""
        kind, own = _unit(match)
        level = level or own
        draft = _Draft(match.start(), match.end(), level)
        words = _NOUNS.match(_UNDER.sub("", match[0]))  # Các điều 5
        first = unicodedata.normalize("NFD", words[2].casefold())[:1] if words else ""
        if level == "article" and first and not _PREFIX.match(match[0]):
            draft.mark = "ا" if "\u0600" < first < "\u0700" else first  # المادة, للمادة
        if kind == "unit":
            self._number(text, draft, match, level)
            if level == "article" and draft.several:
                known = self._singular_words or {match[0].split()[0].casefold()}
                both = self._grammar.adjacent_up and match[0].split()[0].casefold() in known
                single = both or not self._has_singular or ("." in match[0] and not self._has_dotted)
                draft.plural = not single or bool(words and words[1])
        else:
            draft.relation = f"{kind}_{level}"
            capture = self._capture(draft.relation, match)[0]
            steps = self._read(capture, "") if capture else ""
            draft.steps = int(steps) if steps.isdecimal() else 1
        return draft

    def _number(self, text: str, draft: _Draft, match: re.Match[str], level: str) -> None:
        """Take the number of a unit, with what belongs to it: ``의2``, ``bis``, ``(3)(a)``."""
        end = match.end()
        number, several = self._capture(f"unit_{level}", match) if match.lastgroup else (match[0], "")
        listed = level not in ("group", "row", "deeper")
        tailed = level in ("article", "annex")
        while sub := (listed and self._sub.match(text, end)) or (tailed and _ATTACHED.match(text, end)):
            if number.isalpha() and len(letter := sub[0].strip(" -")) == 1 and letter.isalpha():
                break  # litra b-d
            if sub[0][0].isspace() and not sub[0].isupper() and self._range.match(text, end):
                break  # §§ 3 bis 5, but Artikel 3bis and artículo 16 A
            if (pair := _DASHED.fullmatch(number + sub[0])) and int(pair[1]) < int(pair[4]):
                break  # 第5-9條, but 第47-1條
            end = sub.end()
        if level == "paragraph" and number.strip("()（）").isalpha() and self._capture("unit_item", match)[0]:
            level = "item"  # Paragraph (a), but paragraph (1).
        if several:
            draft.several[level] = several
        closed = end - (text[end - 1] in ")）")  # المواد (39-47)
        if end == match.end() and (tail := self._tail(text, closed, number, several or draft.several.get(level, ""))):
            number, end = number[:-tail], closed - tail
            draft.several.setdefault(level, "N")  # art. 8–10
        else:
            number = self._read(number, _RAISED.sub(r"^\1", text[match.end() : end]))
        if self._grammar.dotted and level == "article" and 0 < number.count(".") < 3:  # 2.2.4.6.8 is one article.
            number, *inner = number.split(".")
            draft.numbers |= dict(zip(("paragraph", "item", "subitem"), inner, strict=False))
            if not several:
                draft.several.setdefault(("paragraph", "item", "subitem")[len(inner) - 1], _DOTTED)  # art. 24.1 y 2
        if level == "article" and self._chapter and ":" in number:
            chapter, _, number = number.partition(":")  # ÄB 7:1
            draft.numbers["group"] = f"{chapter} {self._chapter}"
        if level == "annex":
            named = number and self._grammar.annex_name
            words = _ARTICLE.sub("", " ".join(text[match.start() : end].split()))
            number = self._annex(number) if named else words.strip("()") if words[0] == "(" else words
        if level == "row":
            number = self._read(match[0].strip("の項（）() "), "")  # （十六の二）項
        if level == "group":
            number = " ".join(match[0].split())
        closing = self._closing.match(text, end) if RANKS[level] > RANKS["paragraph"] else None
        draft.end = closing.end() if closing else end
        self._set(draft, level, number)
        while self._grammar.brackets and (bracket := self._bracket.match(text, draft.end)):
            below = (one for one in self._grammar.brackets if RANKS[one] > RANKS[draft.level] or one == "deeper")
            lower = next(below, None)
            if lower is None:
                break
            last, number = draft.numbers.get(draft.level, ""), decimal(bracket[0].strip()[1:-1])
            adjacent = self._grammar.adjacent and text[draft.end - 1] in _CLOSING
            if adjacent and last != number and can_follow(last, number):
                break  # (1) (2) is a list.
            self._set(draft, lower, number)
            if lower != "deeper":
                draft.several.setdefault(lower, "B")
            draft.end = bracket.end()

    def _tail(self, text: str, end: int, number: str, several: str) -> int:
        """Return the length of what does not belong to a number: ``-5`` in ``§§ 3-5``, ``a`` in ``46.1a)``."""
        pair = _DASHED.fullmatch(number)
        if pair and pair[3] == "-" and text[end : end + 1] == "조":
            return 0  # 제7-14조 of a Korean rule is one number.
        if pair and (several == "N" or pair[3] == "–") and text.endswith(number, 0, end):
            tail = len(number) - pair.end(2)
            join = self._list.match(text, end) or self._range.match(text, end)
            alone = pair[3] in "–—" or not (join and _DASHED.match(text, join.end()))
            low, high = (int(pair[1]), pair[2]), (int(pair[4]), pair[5])
            if alone and low < high and high[0] < low[0] + _FARTHEST and self._range.match(text, end - tail):
                return tail
        letter = _LETTER_OF_ITEM.fullmatch(number) and text[end : end + 1] == ")" and self._opening(text, end) < 0
        return 1 if letter and self._below(RANKS["paragraph"]).match(text, end - 1) else 0

    def _read(self, number: str, more: str) -> str:
        """Return a number in one spelling, with what belongs to it: ``190-bis`` for ``190- bis``."""
        more = _HYPHEN_AND_BLANK.sub(r"\1", more)
        if number[:1] in "(（" and number[-1:] in ")）":
            inside = decimal(number[1:-1])
            return number_of(inside) if inside.isnumeric() else self._ordinals.get(inside, inside)
        word = number.casefold().replace("\u0307", "")  # The capital İ.
        if word in self._ordinals:
            return number_of(self._ordinals[word] + more)
        if _LETTER_AND_DIGIT.fullmatch(number):
            return number
        if more and number.isascii() and number.isalpha():
            return number + more.replace("\xad", "-").strip()
        number = decimal(number + more)
        letters = _PREFIX.match(number) if self._grammar.prefix else None
        if letters and letters[1][0] not in "IVX":  # VI.83 keeps its full stop.
            number = f"{letters[1].upper()}{letters[2]}{number[letters.end() :]}"
        number = self._grammar.plain(number)
        return number_of(number) or number

    def _set(self, draft: _Draft, level: str, number: str) -> None:
        if level == "row":
            number = f"({number})項"
        if level in ("deeper", "subitem") and "row" in draft.numbers:
            draft.numbers["row"] += f"({number})" if level == "deeper" else number
        elif level == "deeper" and self._grammar.capitals and draft.level == "paragraph":
            draft.numbers["item"], draft.level = number.strip("()"), "item"  # Clause (i) of sub-section (2)
        elif level == "deeper":
            draft.numbers["subitem"] = f"{draft.numbers.get('subitem', '')}({number})"
        else:
            draft.numbers[level] = number
            draft.level = level

    def _capture(self, name: str, words: re.Match[str]) -> tuple[str, str]:
        """Return the number in the words of a form, and its place if several of such numbers may follow."""
        for pattern, ahead, several in self._exact(name):
            match = pattern.fullmatch(words[0]) or pattern.match(words.string, words.start())
            if match and match[0] == words[0] and ahead.match(words.string, words.end()):
                return next((one for one in match.groups() if one), ""), several
        return "", ""

    def _extend(self, text: str, draft: _Draft) -> None:
        """Take the lower units and the parts that follow directly."""
        while True:
            glue = self._glue.match(text, draft.end)
            below = self._below(RANKS[draft.level])
            after = below.match(text, _past(self._glue, text, draft.end)) or below.match(
                text, _past(_BLANK, text, draft.end)
            )
            if after is None and draft.level == "article" and (note := _AFTERWARDS.match(text, draft.end)):
                # 제11조(건축허가) 제1항: the heading is in brackets.
                bare = not self._head.search(text, note.start(), note.end())
                unit = below.match(text, _past(_BLANK, text, note.end())) if bare else None
                after = unit if unit and unit.lastgroup in ("unit_paragraph", "unit_item") else None
            if after is None and "." in draft.numbers.get("item", ""):
                inner = self._below(RANKS["article"])
                while (unit := inner.match(text, _past(_BLANK, text, draft.end))) and (
                    unit.lastgroup == "unit_paragraph" or draft.part
                ):  # Nummer 5.4 Absatz 2 Nummer 1 of an annex
                    draft.part, draft.end = unit[0].strip(), unit.end()
                    draft.several = {each: one for each, one in draft.several.items() if RANKS[each] <= 1}
            if after is None:
                if self._grammar.law_after:
                    self._bracketed(text, draft)
                return
            if after.lastgroup == "part":
                draft.part, draft.end = after[0].strip(), after.end()
                first = _FIRST_PART.match(draft.part) if draft.several.get("article") else None
                if first and not text[draft.start].isdigit():  # Of §§ 1 S. 1 und 3 HPflG, 3 is an article.
                    draft.end -= len(draft.part) - first.end()
                    draft.part = first[0]
                if after[0][-1:].isdigit():
                    # A number after "Satz 1 und" counts sentences.
                    draft.several = {each: one for each, one in draft.several.items() if RANKS[each] <= 1}
                continue
            if draft.relation[:5] == "this_" and self._grammar.brackets and glue and "," in glue[0]:
                return  # Notwithstanding this section, paragraph (a) applies
            level = _unit(after)[1]
            if draft.level == "group" and glue and glue[0].strip().isalpha():
                return  # Geçici 3 üncü maddesi ve 7 nci maddesi
            if draft.level == "article" and level == "subitem" and after[0].strip(" -–").isdecimal():
                return  # m. 526-531, but m. 353/1-b-1
            if level == "subitem" and self._grammar.brackets and re.search(r"\d\.\d", after[0]):
                return  # Paragraph 34.7(b), subparagraph 34.8(a)
            number = self._capture("unit_paragraph", after)[0].strip("()") if self._grammar.brackets else ""
            if number.isdecimal() and draft.numbers.get("paragraph", "").isdecimal() and glue:
                return  # By virtue of Article 96(2), paragraph (1) applies
            section = after[0][0] == "§" and self._has_sections and (draft.mark == "§" or (glue and "," in glue[0]))
            if section or self._goes_up(text, after.end(), level, draft):
                return  # Artikel 250 § 10 is one provision, § 3, § 5 are two.
            self._number(text, draft, after, level)
            article, paragraph = (draft.numbers.get(each, "") for each in ("article", "paragraph"))
            slash = after[0].strip()[0] == "/" and draft.mark == "ا" and len(article) == 1
            if slash and paragraph.isdecimal() and int(paragraph) > 19:
                draft.numbers |= {"article": paragraph, "paragraph": article}  # المادة 2/358, as it is displayed

    def _bracketed(self, text: str, draft: _Draft) -> None:
        """Take a lower unit that is alone in brackets if the words go on: articles 3, 4 (al. 2) et 5."""
        bracket = _AFTERWARDS.match(text, draft.end)
        unit = self._below(RANKS[draft.level]).match(text, draft.end + 2) if bracket else None
        if not bracket or not unit or unit.lastgroup == "part":
            return
        article = draft.level == "article"
        if self._list.match(text, bracket.end()) if article else self._goes_up(text, bracket.end(), draft.level):
            inner = _Draft(draft.start, draft.end, draft.level, numbers=draft.numbers, several=draft.several)
            self._number(text, inner, unit, _unit(unit)[1])
            if inner.end + 1 >= bracket.end():
                draft.level, draft.end = inner.level, bracket.end()

    def _goes_up(self, text: str, end: int, level: str, draft: _Draft | None = None) -> bool:
        """Return True if a unit belongs to the text after it: the second unit of ``article 3, au I de l'article 4``.

        Args:
            draft: the unit before; one that it lacks, too, is a unit of both: ``ayat (3) huruf a Pasal 14``.
        """
        while text[end - 1 : end] == ")" and self._grammar.capitals:  # Paragraphs (a) and (d) of section 8
            join = self._list.match(text, end) or self._range.match(text, end)
            bracket = self._bracket.match(text, join.end()) if join else None
            if bracket is None:
                break
            end = bracket.end()
        for _ in range(_CHAIN if self._grammar.adjacent_up else 1):
            of = self._of.match(text, end) if self._grammar.of else None
            unit = self._head.match(text, of.end()) if of and "," not in of[0] else None
            kind, upper = _unit(unit)
            if kind in ("unit", "this") and RANKS[upper] < RANKS[level]:
                return RANKS[upper] >= (draft.highest if draft else 0)
            if unit is None and (join := self._list.match(text, end)):  # khoản 1, 2, điểm a khoản 3 Điều 7
                bare = None if draft and "article" in draft.several else self._bare(level, "N")
                unit = self._head.match(text, join.end()) or (bare.match(text, join.end()) if bare else None)
                kind, upper = ("unit", level) if unit and not unit.lastgroup else _unit(unit)
            if unit is None or kind != "unit" or RANKS[upper] < RANKS[level]:
                return False
            end = unit.end()
        return False

    def _filled(self, text: str, draft: _Draft, memory: _Memory) -> Reference | None:
        """Return a draft as a reference, with what it leaves out."""
        kind, _, level = draft.relation.partition("_")
        at, numbers, counted, to, aligned = memory.at, dict(draft.numbers), "", "", dict[str, str]()
        moved = draft.law is None and memory.until >= 0 and draft.start >= memory.back
        quoted = memory.is_quoted(draft.start) or (
            not self._grammar.has_words
            and text[draft.start - 1 : draft.start] in _OPENED
            and text[draft.end : draft.end + 1] in _CLOSED
        )
        back = draft.relation == "this_article" and memory.until == memory.at_once
        if moved and not quoted and (draft.own or back):
            at, moved = memory.outer[0][0], False
            if back:  # The sentence is back at its own law.
                memory.until = memory.at_once = draft.start
        law, law_kind = (draft.law.name, draft.law.kind) if draft.law else (at.law, "self")
        if moved and quoted and memory.quotations:
            opened, label = memory.inserted
            if opened == memory.quotations[0][0]:
                at = Place(at.law, label)  # „§ 48a (1) Ein Boot … nach Absatz 1“
            elif self._grammar.brackets and not at.paragraph:
                at = _inserted(text, memory.quotations[0][0], draft.start, at)
        if moved or (law_kind == "self" and quoted):
            # Words in quotation marks are those of another law.
            law, law_kind = at.law if memory.until >= 0 else "", "short"
        if law_kind == "self" and not (moved or draft.law or kind) and (last := self._again(text, draft, memory)):
            law, law_kind = last.law, "short"
        supplement, own = draft.supplement, at.supplement if draft.law is None or draft.law.kind == "self" else ""
        if self._grammar.brackets and not kind and not at.annex and {*numbers} <= {"paragraph", "item", "subitem"}:
            # In Canada paragraph 5(1)(a) is one of section 5, paragraph 5.1(a) one of section 5.1; so is paragraph 5(a)
            # where the name of the law has no year, as names have elsewhere.
            parts = " ".join(numbers[each] for each in sorted(numbers, key=RANKS.__getitem__))
            number, *inside = _PARTS.findall(parts) or [""]
            written = "".join(text[draft.start : draft.end].replace("‑", "-").split())
            among = "paragraph" in draft.taken and draft.several.get("paragraph") != "B"
            opened = among or "".join([number, *(f"({one})" for one in inside[:2])]) in written
            lettered = len(inside) == 1 and inside[0][0].isalpha() and _NO_YEAR.search(law) is not None
            section = opened and (len(inside) == 2 or lettered)
            if section or ("." in number and inside and f"({number})" not in written):
                levels = ("paragraph", "item", "subitem")[not inside[0].isdecimal() :]
                numbers = {"article": number, **dict(zip(levels, inside, strict=False))}
        article = memory.last.get("article")
        same = article is not None and law_kind == "short" and draft.law is not None and article.law == law and law
        if article and same and not kind and numbers and {*numbers} <= {"paragraph", "item"}:
            over = _SENTENCE_OVER.search(text, article.end, draft.start)
            numbers = numbers if over else {"article": article.article, **numbers}  # § 6 Abs. 1 KSchG, Abs. 3 leg. cit.
        again = self._unit_again(text, draft, memory) if law_kind == "self" and not (kind or moved) else None
        if again is not None:  # Comma 2 dell'articolo 5 del …, medesimo comma 2
            law, law_kind, supplement = again.law, again.law_kind, again.supplement
            highest = min(map(RANKS.__getitem__, numbers))
            above = {each: getattr(again, each) for each, rank in RANKS.items() if 0 < rank < highest}
            numbers = {**{each: number for each, number in above.items() if number}, **numbers}
        beside = self._unit_beside(text, draft, memory) if law_kind == "self" and not (kind or moved) else None
        if beside is not None:  # In a letter: § 558 BGB … Abs. 3
            law, law_kind, numbers = beside.law, "short", {"article": beside.article, **numbers}
        if kind:
            law_kind = "relative" if law_kind == "self" else law_kind
            base = {each: getattr(at, each) for each in ("article", "paragraph", "item", "subitem")}
            last = memory.last.get(level) if kind == "same" else None
            nouned = kind == "same" and not self._labels
            if (kind == "this" or (level == "annex" and not nouned)) and not draft.numbers:
                return None
            if nouned:
                noun = text[draft.start : draft.end].casefold().split()[-1]
                named = [one for one in memory.last.values() if noun in _NOUN.findall(one.surface.casefold())]
                if not named and (level not in ("article", "paragraph") or noun == "rule"):
                    return None  # A principle
                last = max(named, key=lambda one: one.start, default=last)
                if level == "item" and last is not None and not last.item:
                    level = "paragraph"  # Paragraph 2 …, that paragraph
            supplement = supplement or own
            row = memory.last.get("row") if kind == "same" and level == "paragraph" else None
            if row is not None and row.start > (memory.last[level].start if level in memory.last else -1):
                # 別表第一（四）項 … 同項
                law, supplement, numbers, base = row.law, row.supplement, {"row": row.row, **numbers}, {}
                numbers.setdefault("annex", row.annex)
            elif last is not None:
                if level == "group":
                    numbers.setdefault("group", last.group)
                law, supplement = last.law, last.supplement
                base = {each: getattr(last, each) for each in base}
                if last.annex:
                    numbers.setdefault("annex", last.annex)
            upper = {each: number for each, number in base.items() if RANKS[each] <= RANKS[level]}
            if kind in ("before", "after", "every"):
                own = base.get(level, "")
                sign = 1 if kind == "after" else -1
                counted = f"{level} {sign * draft.steps}"
                first, last_one = counted_number(own, sign), counted_number(own, sign * draft.steps)
                if kind == "every":
                    first, last_one = "1", counted_number(own, -1)
                    counted = ""
                elif sign < 0:
                    first, last_one = last_one, first
                upper[level], to = first, last_one if last_one != first else ""
            numbers = {**upper, **numbers}
        elif supplement:
            supplement = own if own and " " not in supplement else supplement
        elif numbers and (law_kind == "self" or moved) and not ({"article", "annex", "group"} & set(numbers)):
            supplement = own
            highest = min(map(RANKS.__getitem__, numbers))
            item, before = memory.last.get("item"), memory.last.get("subitem")
            joined = before and self._noun_joined.fullmatch(text, before.end, draft.start)  # 第一目所列場所及第二目
            if highest == RANKS["subitem"] and self._grammar.spaceless and item and (joined or not at.item):
                # 第二款所稱第二目: the own place has no 款 of which it could be a part.
                law, law_kind, at = item.law, item.law_kind, Place(item.law, item.article, item.paragraph, item.item)
            aligned = {} if self._labels or at.annex else _aligned(numbers, at)
            if aligned:
                numbers, highest = aligned, RANKS["paragraph"]
            elif self._grammar.brackets and at.paragraph.isalpha() and numbers.get("paragraph", "").isdecimal():
                numbers, highest = _lowered(numbers), RANKS["item"]  # Paragraph (1) in subsection (a)
            base = {each: getattr(at, each) for each in ("article", "paragraph", "item") if RANKS[each] < highest}
            if self._grammar.unnumbered and not at.item and not memory.own.paragraph:
                base.pop("paragraph", None)  # 有第一项规定情形 below the paragraph that has the items
            if at.annex and not at.article:
                base["annex"] = self._annex(at.annex)
            numbers = {**{each: number for each, number in base.items() if number}, **numbers}
        if "annex" in numbers:
            numbers.pop("article", None)
            if self._grammar.brackets:  # Its units are items and what is below.
                numbers = _lowered(numbers)
        if draft.is_deeper and not aligned:
            near = memory.last.get("subitem")
            beside_it = near is not None and near.law == law and "\n" not in text[near.end : draft.start]
            here = at if law_kind == "self" or moved else Place()
            numbers = _deeper(numbers, here.subitem, near if beside_it else None)
        inner = self._grammar.brackets and "article" in draft.numbers and "item" not in numbers
        if inner and (below := _INNER.fullmatch(numbers.get("subitem", ""))):  # Clause (a) of section 3(1)
            first, _, further = below[2].removeprefix("(").partition(")")
            numbers["item"], numbers["subitem"] = below[1], first + further
        surface, part, ranged = text[draft.start : draft.end], draft.part, draft.range_end
        reference = Reference(surface, draft.start, draft.end, law, law_kind, part=part, to=to, range_end=ranged)
        reference = reference._replace(counted=counted, supplement=supplement, word=draft.word, **numbers)  # type: ignore[arg-type]
        for each in {*draft.numbers, level} - {""}:
            memory.last[each] = reference
            memory.units[each, getattr(reference, each, "")] = reference
        return reference

    def _unit_again(self, text: str, draft: _Draft, memory: _Memory) -> Reference | None:
        """Return the last reference with the unit below an article that words say was cited: *del citato comma 2*."""
        level = min(draft.numbers, key=RANKS.__getitem__, default="")
        last = memory.units.get((level, draft.numbers.get(level, "")))
        known = last is not None and draft.is_inside and "\n" not in text[last.end : draft.start]
        if draft.start == memory.begins:  # Else it is a member of a list, of which the first one was cited.
            words = self._aforesaid_before.search(text, max(0, draft.start - _ITS), draft.start)
            memory.again = known and words is not None
        return last if known and memory.again else None

    def _unit_beside(self, text: str, draft: _Draft, memory: _Memory) -> Reference | None:
        """Return the article of a named law of which a paragraph alone is one in a text that is no statute."""
        last = memory.last.get("article")
        if not last or last.law_kind not in _OTHERS or not last.law or {*draft.numbers} != {"paragraph"}:
            return None
        if self._grammar.brackets or not self._is_in_no_statute(text, draft.start, memory):
            return None
        between = text[last.end : draft.start]
        return last if "\n" not in between and len(_NEXT_SENTENCE.findall(between)) < 2 else None

    def _again(self, text: str, draft: _Draft, memory: _Memory) -> Reference | None:
        """Return the last article of a named law if both are without 第: 会社法423条1項は、425条から."""
        last = memory.last.get("article")
        if last is None or not last.law or last.law_kind == "self" or "article" not in draft.numbers:
            return None
        bare = self._grammar.article[0][0] == "第" and text[draft.start].isdigit() and "第" not in last.surface
        return last if bare and not _SENTENCE_OVER.search(text, last.end, draft.start) else None

    def _moves_of(self, text: str) -> list[tuple[int, re.Match[str]]]:
        """Return words that move a text to another law, the last first, each with the place where it is moved."""
        places = []
        for one in self._moves.finditer(text) if self._moves else ():
            clause = _CLAUSE.match(text, one.end()) if one.lastgroup == "before" and self._grammar.has_words else None
            places.append((clause.end() if clause else one.start(), one))
        return sorted(places, key=lambda each: each[0], reverse=True)

    def _move(self, text: str, words: re.Match[str], memory: _Memory, found: Sequence[Reference]) -> None:
        """Take the law next to such words for the one that the text is about, up to its end or that of a list."""
        end = words.end()
        if not self._grammar.has_words:
            law = self._law_before(text, words.start(), memory)
            if law and law.kind == "named" and law.name != memory.own.law:
                memory.move(Place(law.name), len(text))
        elif words.lastgroup == "back":
            over = _AMENDING_OVER.search(text, end, end + _LONGEST_SENTENCE)
            stop = over.start() if over else min(len(text), end + _LONGEST_SENTENCE)
            begins = _AFTER_LABEL.search(text, max(0, words.start() - 8), words.start())
            if (
                begins
                and memory.outer
                and not memory.is_quoted(words.start())
                and not self._laws.search(text, end, stop)
            ):
                memory.move(memory.outer[0][0], stop)
                memory.back = memory.until
        elif words.lastgroup in ("before", "at_once"):
            line = text.rfind("\n", 0, end) + 1

            def in_note(one: Reference) -> bool:
                low = max(line, one.start - 2 * _REACH)
                return text.count("(", low, one.start) > text.count(")", low, one.start)

            named = [one for one in found if one.start >= line and one.end <= end]
            whole = [
                one for one in named[-1:] if one.state == "whole law" and not text[one.end : words.start()].strip()
            ]
            others = [one for one in (*whole, *named) if one.law_kind in _OTHERS]
            first = next((one for one in others if not in_note(one)), others[0] if others else None)
            if first is not None and first.law != memory.own.law:
                at = Place(first.law, first.article, first.paragraph, first.item, first.subitem, first.annex)
                at_once = words.lastgroup == "at_once"
                deeper = bool(memory.labels) and len(memory.labels[-1].numbers) > memory.depth
                # Section 8 of the Pier Act is amended in accordance with subsections (2) and (3).
                units = [one for one in found if one.start >= end and one.law_kind == "self" and not at_once]
                listed = deeper and not text[end : memory.labels[-1].start].strip(" :—–-\n\xa0")
                until = memory.end_of_list(memory.depth if listed else memory.depth - 1)
                if units:
                    until = memory.end_of_unit(units[-1])
                elif at_once and not listed:
                    over = _outside(_LINE_OVER, text, end, memory.quotations)
                    until = over.start() if over else -1
                memory.move(at, until if until >= 0 else len(text))
                memory.at_once = memory.until if at_once else memory.at_once
                if not at_once and not listed and memory.depth:  # (1) Section 5 is amended as follows. (2) …
                    memory.lists[memory.depth - 1 :] = [at]
        elif (law := self._law_at(text, end, memory)) and (ends := self._ends_of(text, words, law)):
            last = min(len(text), law.end + _LONGEST_SENTENCE) if words.lastgroup == "sentence" else len(text)
            over = memory.list_over(text, law.end) if ends is _LIST_OVER else ends.search(text, law.end, last)
            memory.move(Place(law.name), over.end() if over else last)
            if words.lastgroup == "after":  # Provisions of the Pier Act: section 5, as specified in paragraph (b)
                memory.named_only = memory.until

    def _move_in_list(self, text: str, label: Label, memory: _Memory, found: Sequence[Reference]) -> None:
        """Take the unit above a list for what it is about: *In section 5 of the Pier Act—*, *(a) in subsection (1)*."""
        line = text.rfind("\n", 0, max(0, label.start - 1)) + 1
        first = next((one for one in found if one.start >= line), None)
        if not first or first.law_kind not in _OTHERS or first.state == "whole law":
            return
        if text[line : label.start].rstrip()[-1:] in tuple("—–:-") and _IN_AMENDING.fullmatch(text, line, first.start):
            at = Place(first.law, first.article, first.paragraph, first.item, first.subitem, first.annex)
            until = memory.end_of_list(memory.depth - 1)
            stop = until if until >= 0 else len(text)
            if self._amends.search(text, label.start, stop) or _CHANGES.search(text, label.start, stop):
                memory.move(at, stop)
                memory.lists = [at] * memory.depth

    def _ends_of(self, text: str, words: re.Match[str], law: _Law) -> re.Pattern[str] | None:
        """Return what ends the articles of a law behind words that move a text to it; None if none follow."""
        if words.lastgroup == "sentence":  # Al codice penale, l'articolo 323 è abrogato e, dopo l'articolo 322, …
            if not _BEGINS.search(text, max(0, words.start() - 4), words.start()):
                return None
            over = _AMENDING_OVER.search(text, law.end, law.end + _LONGEST_SENTENCE)
            end = over.end() if over else min(len(text), law.end + _LONGEST_SENTENCE)
            clause = _RELATIVE.search(text, law.end, end)
            return _AMENDING_OVER if self._amends.search(text, law.end, clause.start() if clause else end) else None
        if words.lastgroup == "list":
            head = self._head.search(text, law.end, law.end + _LONGEST_TITLE)
            follows = head and head.lastgroup == "unit_article" and not _OF_LIST.search(text, law.end, head.start())
            return _OF_LIST if follows else None
        if _LIST_BEGINS.match(text, law.end):
            return _LIST_OVER
        colon = _COLON.match(text, law.end) if words.lastgroup == "after" else None
        head = self._head.match(text, colon.end()) if colon else None
        return _CLAUSE_OVER if head and head.lastgroup == "unit_article" else None  # Provisions of … apply: section 5

    def _annex(self, number: str) -> str:
        return self._grammar.annex_name.replace("N", number) if self._grammar.annex_name else number

    def _whole_laws(self, text: str, found: list[Reference]) -> Iterator[Reference]:
        """Yield the laws in quotes that are not part of a reference."""
        ends = iter(sorted((one.start, one.end) for one in found))
        start, end = next(ends, (len(text), len(text)))
        for quoted in self._quoted.finditer(text):
            while end <= quoted.start():
                start, end = next(ends, (len(text), len(text) + 1))
            if quoted.start() < start:
                law, stop = self._whole_law(text, quoted)
                kind = self._kind(text, quoted.start(), stop)
                yield Reference(text[quoted.start() : stop], quoted.start(), stop, law, "named", kind=kind)

    def _whole_law(self, text: str, quoted: re.Match[str]) -> tuple[str, int]:
        """Return the law in quotes, with the word of its family that follows, and the place after it."""
        law, stop = " ".join(quoted[0][1:-1].split()), quoted.end()
        for level, family in self._grammar.family.items():
            after = re.match(rf"\s?{re.escape(family.suffix.strip())}", text[stop : stop + 8])
            if family.suffix and after:
                law, stop = self._named(law, level), stop + after.end()
        return law, stop


def _labelled(text: str, at: Place, label: Label) -> Place:
    """Return the unit of an English section that a label opens: its first letters are paragraphs behind other words."""
    numbers = [*label.numbers]
    if numbers[0].islower() and _WORD.match(text):
        numbers.insert(0, "")
    paragraph, item, subitem, *deeper = (*numbers, "", "", "")
    return at._replace(paragraph=paragraph, item=item, subitem=subitem + "".join(f"({one})" for one in deeper if one))


def _inserted(text: str, start: int, end: int, at: Place) -> Place:
    """Return the section that a quotation inserts behind another one: after section 48 insert “48A …”."""
    number, start = _DIGITS.match(at.article), max(start, end - _LONGEST_SECTION)
    labels = re.findall(rf"^[“\"‘]?\s?({number[0]}[A-Z]{{1,3}})\b", text[start:end], re.MULTILINE) if number else []
    return at._replace(article=labels[-1]) if labels else at


def _is_indefinite(text: str, head: re.Match[str]) -> bool:
    """Return True for *a schedule of boats*, and *the schedule* behind it, which are no annex of the law."""
    if _OF_LAW.match(text, head.end()):
        return False
    noun, low = re.escape(head[0].split()[-1]), max(0, head.start() - _FAR)
    indefinite = rf"\b(?:an?|une?|un[oa]?|uma?|een|ein(?:e[nmrs]?)?|ett?)\s{noun}\b"
    found = (
        one
        for one in re.finditer(indefinite, text[low : head.end()], re.IGNORECASE)
        if not _OF_LAW.match(text, low + one.end())
    )
    return next(found, None) is not None


def _supplement(words: str) -> str:
    """Return the word for a supplement, with the number of its act, or with the words in brackets about the act."""
    word, act = (*re.split(r"[(（<〈]", words.strip(" )）>〉"), maxsplit=1), "")[:2]
    number = re.search(r"제\s?(\d{1,6})\s?호", act)
    return f"{word.strip()} {number[1] if number else act.strip()}".rstrip()


def _outside(
    words: re.Pattern[str], text: str, place: int, quotations: Sequence[tuple[int, int]]
) -> re.Match[str] | None:
    """Return the first such words behind a place that are not in a quotation."""
    for start, end in (*quotations, (len(text), len(text))):
        if place < start and (found := words.search(text, place, start)):
            return found
        place = max(place, end)
    return None


def _past(words: re.Pattern[str], text: str, place: int) -> int:
    """Return the place after such words at a place, or the place itself."""
    match = words.match(text, place)
    return match.end() if match else place


def _unit(match: re.Match[str] | None) -> tuple[str, str]:
    """Return what the words of a form are, such as ``unit`` or ``same``, and their level."""
    kind, _, level = (match.lastgroup or "").partition("_") if match else ("", "", "")
    return kind, level


def _law_meant(last: Reference | None, start: int) -> _Law | None:
    """Return the law of a reference that later words mean, if it is not the own law."""
    return _Law(last.law, last.law_kind, start, start) if last and last.law_kind in _OTHERS else None


def _above(unit: str, number: str) -> tuple[str, str]:
    """Return what is above the part of a unit in the form of a number, and that part: ``A``, ``iii`` of ``A(iii)``.

    All and nothing if no part has that form.
    """
    parts = unit.replace(")", "").split("(")
    at = max((at for at, part in enumerate(parts) if part and _form(part) == _form(number)), default=len(parts))
    return "".join([*parts[: min(at, 1)], *(f"({part})" for part in parts[1:at])]), "".join(parts[at : at + 1])


def _aligned(numbers: Mapping[str, str], at: Place) -> dict[str, str]:
    """Return numbers at the level where the place has one of the same form: *clause (c)* in clause (b).

    Empty if it has none.
    """
    levels = ("paragraph", "item", "subitem")
    given = [one for each in levels for one in _IN_BRACKETS.findall(numbers.get(each, ""))]
    here = [at.paragraph, at.item, *at.subitem.replace(")", "").split("(")]
    alike = [depth for depth, one in enumerate(here) if one and given and _form(one) == _form(given[0])]
    if not alike or (alike[-1] == 0 and numbers.keys() == {"subitem"} and len(given) == 1):
        return {}
    numbered = [*here[: alike[-1]], *given, "", "", ""]
    paragraph, item, subitem, deeper = *numbered[:3], numbered[3:]
    return {"paragraph": paragraph, "item": item, "subitem": subitem + "".join(f"({one})" for one in deeper if one)}


def _deeper(numbers: Mapping[str, str], holder: str, near: Reference | None) -> dict[str, str]:
    """Return the numbers of a unit such as *clause (ii)*, which is in a sub-item or beside another reference."""
    number, _, inner = numbers["subitem"].removeprefix("(").partition(")")
    if number.isdecimal() and inner:  # Clause (1) (g) in Ontario
        item, _, subitem = inner.removeprefix("(").partition(")")
        return {**numbers, "paragraph": number, "item": item, "subitem": subitem}
    if near and near.item and not near.subitem and _form(near.item) == _form(number):
        return {**numbers, "paragraph": near.paragraph, "item": number, "subitem": ""}
    among = near and all(getattr(near, each) == numbers.get(each, "") for each in ("article", "paragraph", "item"))
    holder = near.subitem if near and among else holder
    item = numbers.get("item", "")
    if item and not holder and (_form(item), _form(number)) == ("a", "i"):  # Sub-clause (i) in clause (c)
        return {**numbers, "subitem": number + inner}
    return {**numbers, "subitem": _above(holder, number)[0] + numbers["subitem"]}


def _form(number: str) -> str:
    """Return how a number is written: ``1``, ``a``, ``A``, or as a Roman numeral, ``i``, ``I``."""
    if number[:1].isdigit():
        return "1"
    roman = _ROMAN_UNIT.fullmatch(number) is not None
    return ("I" if roman else "A") if number.isupper() else "i" if roman else "a"


def _lowered(numbers: Mapping[str, str]) -> dict[str, str]:
    """Return numbers with a paragraph and what is in it one level lower."""
    if not numbers.get("paragraph"):
        return dict(numbers)
    item, subitem = numbers.get("item", ""), numbers.get("subitem", "")
    below = {"item": numbers["paragraph"], "subitem": f"{item}({subitem})" if item and subitem else item or subitem}
    above = {each: one for each, one in numbers.items() if RANKS[each] < RANKS["paragraph"]}
    return above | {each: one for each, one in below.items() if one}


def _quotations(text: str) -> list[tuple[int, int]]:
    """Return the outermost quotations of a text that are closed, without the notes of an editor inside."""
    opened: list[tuple[str, int]] = []
    pairs: list[tuple[int, int]] = []
    if -1 < text.find("»") < text.find("«"):  # Danish and German texts write »…«.
        text = text.translate(_REVERSED)
    for match in _QUOTES.finditer(text):
        sign, place = match[0], match.start()
        last = opened[-1][0] if opened else ""
        if sign in "“«" and sign == last and text[place - 1] == "\n":
            continue  # Each paragraph of a quotation may begin with the sign.
        if last != '"' if sign == '"' else sign in "„«‘" or (sign == "“" and last != "„"):
            opened.append((sign, place))
        elif opened and (sign != "’" or last == "‘"):
            _, start = opened.pop()
            said = text[max(0, start - 2) : start].rstrip()[-1:] in tuple(":—–")
            if sign == '"' and not said and not _QUOTED_UNIT.fullmatch(text, start + 1, place):
                continue
            while pairs and pairs[-1][0] > start:
                pairs.pop()
            pairs.append((start, place))
    pieces: list[tuple[int, int]] = []
    for start, end in pairs:
        for note in _OF_EDITOR.finditer(text, start, end):
            pieces.append((start, note.start()))
            start = note.end()
        pieces.append((start, end))
    return pieces


def _around(forms: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words before the place ``…`` of forms, and those behind it."""
    pairs = [tuple(one.strip() for one in form.split("…")) for form in forms]
    return tuple(one[0] for one in pairs if one[0]), tuple(one[1] for one in pairs if one[1])


def _unquoted(quoted: re.Match[str]) -> str:
    """Return a letter of a unit without quotation marks, ``a)``; a number is ``III``."""
    return f" {quoted[1]}{')' if len(quoted[1].strip()) == 1 and quoted[1].islower() else ' '}"


def _several(form: str) -> str:
    """Return the place of a form after which bare numbers may follow, such as ``N`` or ``B``; empty if none may.

    ``D`` is that of a form which counts only after a law.
    """
    places = (token[0] for token in form.split() if token == "D" or re.fullmatch(r"[NBXSVOAKR]\+", token))
    return "D" if form[0] == "^" else next(places, "")


def _is_next(draft: _Draft, following: _Draft, level: str, reach: int) -> bool:
    """Return True if a letter is one of the next few after another: ``b`` in ``a i b``, but not ``w`` in ``a i w``.

    What is behind a hyphen inserts one: ``f-bis`` after ``f``.
    """
    (last, _, _), (one, inserted, _) = (each.numbers.get(level, "").partition("-") for each in (draft, following))
    first, second = (100.5 if letter == "đ" else ord(letter) if len(letter) == 1 else 0 for letter in (last, one))
    return bool(first and second) and (0 < second - first < reach or (first == second and bool(inserted)))


def _is_short(name: str) -> bool:
    """Return True if a short name that a text gives to a law is no word in small letters: *Wht*, *Wet OB*."""
    return _SHORT.fullmatch(name) is not None or (name.isalpha() and name[0].isupper())


def _is_short_for(short: str, name: str, added: str) -> bool:
    """Return True if the capitals of a short name begin words of a law's name, in order: ``LOPD``.

    Args:
        short: the short name.
        name: of the law, as the patterns read it.
        added: what the text has behind it. Unless that begins with a comma, the last capital may be another word's, as
            ``G`` is for *Gesetz*.
    """
    letters = [sign for sign in short if sign.isupper()]
    own = len(_WORD.findall(name))
    words = [one[0].upper() if len(one) > 3 or one[0].isupper() else "" for one in _WORD.findall(name + added)]
    places: list[int] = []
    for letter in letters:
        if letter not in words[(start := places[-1] + 1 if places else 0) :]:
            break
        places.append(words.index(letter, start))
    every = len(places) >= len(letters) - ("," not in added)
    return every and len(places) > 1 and places[0] < own <= places[-1]
