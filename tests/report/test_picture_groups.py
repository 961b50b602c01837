"""Tables of groups of pictures, joined to cases; and what is said when they are no such tables."""

from pathlib import Path

import pytest
from making import case

from countersight.case import Case
from countersight.errors import CountersightError
from countersight.reports.picture_groups import picture_groups


def coco(number: int, **changes: object) -> Case:
    """A case about a picture of COCO, as it is imported."""
    name = f"COCO_val2014_{number:012}.jpg"
    fields: dict[str, object] = {"image": f"images/{name}", "provenance": {"img_path": name}}
    return case(number, **(fields | changes))


def table(folder: Path, text: str) -> Path:
    path = folder / "people.csv"
    path.write_text(text, encoding="utf-8", newline="")
    return path


PEOPLE = "id,bb_skin,bb_gender,split\n1,Light,Male,val\n2,Light,Female,val\n3,Dark,Female,val\n"


def test_the_coco_id_is_the_number_in_the_name_of_the_picture(tmp_path: Path) -> None:
    skin, gender = picture_groups(table(tmp_path, PEOPLE), [coco(number) for number in (1, 2, 3, 4)])
    assert (gender.column, gender.names) == ("bb_gender", ("Female", "Male"))
    assert gender.group_of.tolist() == [1, 0, 0, -1]
    assert gender.matched == 3
    assert skin.group_of.tolist() == [0, 0, 1, -1]  # the largest group comes first; the split says nothing


def test_a_case_without_its_picture_is_found_by_its_published_name(tmp_path: Path) -> None:
    [gender] = picture_groups(table(tmp_path, PEOPLE), [coco(n, image=None) for n in (1, 2)])
    assert (gender.names, gender.group_of.tolist()) == (("Female", "Male"), [1, 0])


@pytest.mark.parametrize(
    "keys",
    [
        ("case-1", "case-2"),
        ("COCO_val2014_000000000001.jpg", "COCO_val2014_000000000002.jpg"),
        ("COCO_val2014_000000000001", "images/COCO_val2014_000000000002.jpg"),
        ("1.0", "000002"),
    ],
)
def test_a_row_names_a_case_a_picture_or_its_number(tmp_path: Path, keys: tuple[str, str]) -> None:
    [found] = picture_groups(table(tmp_path, f"id,group\n{keys[0]},a\n{keys[1]},b\n"), [coco(1), coco(2)])
    assert found.matched == 2


def test_pictures_with_people_of_several_groups_are_left_out_and_repeated_rows_count_once(tmp_path: Path) -> None:
    rows = "id,bb_gender\n1,Male\n1,Male\n2,Male\n2,Female\n3,Female\n4,\n4,\n5,Male\n5,\n"
    [found] = picture_groups(table(tmp_path, rows), [coco(number) for number in range(1, 6)])
    assert [found.names[place] if place >= 0 else "" for place in found.group_of] == ["Male", "", "Female", "", "Male"]
    assert (found.several, found.blank, found.matched) == (1, 1, 5)


def test_cases_about_one_picture_share_its_number(tmp_path: Path) -> None:
    found = picture_groups(table(tmp_path, PEOPLE), [coco(1), coco(1, id="again"), coco(2)])[0]
    assert found.picture_of.tolist() == [0, 0, 1]


def test_a_file_with_a_mark_at_its_start_and_foreign_names_is_read(tmp_path: Path) -> None:
    path = table(tmp_path, '\ufeffid,gruppe\r\n1,"Männer, alle"\r\n2,Frauen\r\n')
    assert picture_groups(path, [coco(1), coco(2)])[0].names == ("Frauen", "Männer, alle")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("image_id,a\n1,x\n", r"line 1: id: is not a column of the file"),
        ("id\n1\n", "defines no groups: it needs rows, and a column other than 'id'"),
        ("id,a\n", "defines no groups"),
        ("", "line 1: the file: is empty"),
        ("id,a\n1,x\n2\n", r"line 3: row: has 1 values, but the header has 2 columns"),
        ("id,a\n,x\n", r"line 2: id: is empty"),
        ("id,a\n901,x\n902,y\n", "no case matches a row of .*begins with '901', '902'"),
        ("id,a,b\n1,,x\n2,,x\n", r"no column with 2 to 12 groups .*: a \(0\), b \(1\)"),
    ],
)
def test_a_bad_table_gets_an_error_message(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(CountersightError, match=sentence):
        picture_groups(table(tmp_path, text), [coco(1), coco(2)])


def test_a_column_of_names_is_no_column_of_groups(tmp_path: Path) -> None:
    path = table(tmp_path, "id,name,sex\n" + "".join(f"{n},person {n},{'mf'[n % 2]}\n" for n in range(30)))
    assert [found.column for found in picture_groups(path, [coco(number) for number in range(30)])] == ["sex"]


def test_a_table_that_is_not_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(b"id,a\n1,\xff\xfe\n2,x\n")
    with pytest.raises(CountersightError, match="line 2: a: is not UTF-8 text"):
        picture_groups(path, [coco(1), coco(2)])
