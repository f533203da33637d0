"""Days on which articles of Korean acts begin; the clauses are written for the tests in the form of real ones."""

from legalir.statutes.law import Law, Unit
from legalir.statutes.versions.commencement import date_articles, exceptions

ARTICLES = ["1", "2", "2의2", "3", "4", "5"]


def days(clause):
    return [tuple(each) for each in exceptions(clause, "2021-01-05", ARTICLES)]


def test_one_article_on_the_day_of_promulgation():
    clause = "이 법은 공포 후 1년이 경과한 날부터 시행한다. 다만, 제2조의2의 개정규정은 공포한 날부터 시행한다."
    assert days(clause) == [("2의2", True, "2021-01-05")]


def test_two_days_in_one_proviso():
    clause = (
        "이 법은 공포한 날부터 시행한다. 다만, 제3조 및 제5조의 개정규정은 공포 후 3개월이 경과한 날부터 시행하고, "
        "제4조제1항의 개정규정은 2022년 7월 1일부터 시행한다."
    )
    assert days(clause) == [("3", True, "2021-04-06"), ("5", True, "2021-04-06"), ("4", False, "2022-07-01")]


def test_a_range_is_expanded_by_the_articles_of_the_law():
    clause = "이 법은 공포한 날부터 시행한다. 다만, 제2조부터 제4조까지의 개정규정은 2022년 1월 1일부터 시행한다."
    assert [article for article, _, _ in days(clause)] == ["2", "2의2", "3", "4"]


def test_without_a_proviso_and_with_addenda_of_other_laws():
    assert days("이 법은 공포한 날부터 시행한다.") == []
    other = (
        "이 법은 공포한 날부터 시행한다. 다만, 부칙 제5조에 따라 개정되는 법률 중 시행일이 도래하지 아니한 법률을 "
        "개정한 부분은 각각 해당 법률의 시행일부터 시행한다."
    )
    assert days(other) == []


def test_only_the_addenda_of_the_act_of_the_file_count():
    text = (
        "## 부칙\n\n부칙 <제100호,2019.1.1>\n\n이 법은 2020년 1월 1일부터 시행한다. 다만, 제1조의 개정규정은 2021년 "
        "1월 1일부터 시행한다.\n\n부칙(다른 법률) <제200호,2021.1.5>\n\n제1조(시행일) 이 법은 공포한 날부터 시행한다. "
        "다만, 제2조의 개정규정은 2023년 1월 1일부터 시행하고, 제1조제2항의 개정규정은 2024년 1월 1일부터 시행한다.\n"
    )
    law = Law(text, "가로등법", "1", "kr", "ko", number="법률 제00200호", promulgated="2021-01-05")
    law.effective_from = "2021-01-05"
    law.root.content += [Unit("article", "조", number) for number in ("1", "2")]
    date_articles(law)
    assert [unit.effective_from for unit in law.root.units] == ["", "2023-01-01"]
    assert law.notes == ["가로등법: a part of article 1 begins on 2024-01-01; it is dated 2021-01-05."]
