"""Small Korean laws in several versions, as files of one folder; all texts are written for the tests."""

from pathlib import Path


def write_law(folder: Path, promulgated: str, effective: str, number: str, body: str, title: str = "가로등법") -> Path:
    """Write one version in the Markdown of Korean laws."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{promulgated}_{number}.md"
    path.write_text(
        f"---\n제목: {title}\n법령ID: '{title}1'\n법령구분: 법률\n공포일자: {promulgated}\n공포번호: '{number}'\n"
        f"시행일자: {effective}\n상태: 시행\n---\n\n# {title}\n\n## 제1장 총칙\n\n{body}",
        encoding="utf-8",
    )
    return path


def three_acts(folder: Path) -> Path:
    """Write a law of three acts: the second begins after the third, but for one article."""
    lamp = "##### 제1조 (밝기)\n\n가로등은 {}룩스보다 밝게 한다.\n\n"
    report = "##### 제2조 ({})\n\n구청장은 고장을 {}일 안에 고친다.{}\n\n"
    old = lamp.format(10) + report.format("수리", 7, "") + "##### 제3조 (벌칙)\n\n과태료는 10만원으로 한다.\n\n"
    write_law(folder, "2019-01-01", "2019-01-01", "00100", old)
    second = (
        lamp.format(20)
        + report.format("(수리)", 5, " <개정 2021.1.5>")
        + "##### 제3조 삭제 <2021.1.5>\n\n##### 제4조 (점검)\n\n점검은 해마다 한다.\n\n"
    )
    addenda = (
        "## 부칙\n\n부칙 <제200호,2021.1.5>\n\n이 법은 공포 후 1년이 경과한 날부터 시행한다. 다만, "
        "제4조의 개정규정은 공포한 날부터 시행한다.\n"
    )
    write_law(folder, "2021-01-05", "2022-01-06", "00200", second + addenda)
    third = second.replace("구청장은", "시장은").replace("2021.1.5>", "2021.1.5, 2021.3.2>", 1)
    write_law(
        folder,
        "2021-03-02",
        "2021-03-02",
        "00300",
        third + addenda + "\n부칙 <제300호,2021.3.2>\n\n이 법은 공포한 날부터 시행한다.\n",
    )
    return folder
