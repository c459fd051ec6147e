"""
Pairs of a passage and a claim that are made by editing one sentence of a passage: supported, refuted, open, or not supported (refuted or
open: the passage alone does not say which). Each edit stands beside the sentence as it was.

    python edits.py --pairs <folder> --out edits.jsonl.gz [--limit 250000]
"""

import argparse
import gzip
import json
import random
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterator, Optional

from corpus import Pair, read_pairs

SEED = 20261123
"""Fields of the calibration and test parts of the claim groups, and sources without sentences."""
HELD_OUT = {"medquad", "os-economics", "plos", "os-nursing", "scitldr", "secrules", "obo", "tatqa"}
WITHOUT_SENTENCES = {"wordnet", "debian", "botocore"}
PAIRS_PER_SOURCE = 6_000
PASSAGE_WORDS = 95
"""Sentences on one side of the edited one, each as likely."""
SIDES = (0, 0, 0, 1, 2, 3)
EDITS_PER_SENTENCE = 3
"""Of edits that contradict, the share that changes the passage instead of the claim."""
PASSAGE_SHARE = 0.5
REWORDED_TWINS = 0.45

SUPPORTED, REFUTED, OPEN, NOT_SUPPORTED = "S", "R", "O", "N"
Edit = Optional[tuple[str, str]]


@dataclass(frozen=True)
class Surroundings:
    """What an edit may take from beside the sentence."""

    passage: str
    """Names and short sentences of the same source, and reasons given in it as (conjunction, reason)."""
    names: list[str]
    short: list[str]
    reasons: list[tuple[str, str]]


BREAK = re.compile(r'(?<=[.!?])\s+(?=[A-Z"(])')
MARKUP = re.compile(r"[{}<>|\\=*_#`\[\]]|https?:")
NUMBER = re.compile(r"(?<![\w.,-])(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)(?![\w-]|[.,]\d)")
NAME = re.compile(r"(?<=[a-z,;] )((?:[A-Z][\w&.-]*[A-Za-z]|[A-Z]{2,}[\w-]*)(?: (?:of |the )?[A-Z][\w&-]+){0,3})")
REASON = re.compile(r"\b(because|due to|so that|in order to) ([^,.]{8,})\.$")
POINTS_BACK = re.compile(r"^(?:It|This|They|These|That|Those|He|She|We|You|I|However|But|So|And|If|For|In)\b")
AUXILIARY = r"(is|are|was|were|can|will|does|do|has|have|should|must|could|would)"
WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
MONTHS = "January February March April June July August September October November December".split()
UNITS = [
    group.split()
    for group in (
        "seconds minutes hours days weeks months years",
        "second minute hour day week month year",
        "bytes kilobytes megabytes gigabytes bits",
        "KB MB GB TB",
        "meters kilometers miles feet",
        "kilograms grams tons pounds",
        "dollars euros pounds",
        "million billion thousand trillion",
        "daily weekly monthly annually",
    )
]
OPPOSITES = [
    pair.split()
    for pair in (
        "more less|larger smaller|higher lower|faster slower|greater smaller|increases decreases|increase decrease|"
        "increased decreased|above below|maximum minimum|longer shorter|older newer|easier harder|stronger weaker|"
        "better worse|most least|rise fall|rises falls|rose fell|wider narrower|earlier later|northern southern|eastern western"
    ).split("|")
]
ORDER = [pair.split() for pair in "before after|first last|previous next|until after|begins ends|start end".split("|")]
RAISED = [
    ("may", "must"), ("can", "must"), ("should", "must"), ("must", "may"), ("might", "will"), ("could", "will"),
    ("recommended", "required"), ("optional", "required"), ("required", "optional"), ("proposed", "adopted"),
    ("plans to", "has begun to"), ("is expected to", "is known to"), ("likely", "certain"),
]  # fmt: skip
QUANTIFIERS = [
    ("some", "all", NOT_SUPPORTED), ("Some", "All", NOT_SUPPORTED), ("most", "all", NOT_SUPPORTED),
    ("Most", "All", NOT_SUPPORTED), ("many", "all", NOT_SUPPORTED), ("Many", "All", NOT_SUPPORTED),
    ("often", "always", NOT_SUPPORTED), ("usually", "always", NOT_SUPPORTED), ("sometimes", "always", NOT_SUPPORTED),
    ("generally", "always", NOT_SUPPORTED), ("several", "all", NOT_SUPPORTED), ("up to", "at least", NOT_SUPPORTED),
    ("all", "no", REFUTED), ("All", "No", REFUTED), ("every", "no", REFUTED), ("always", "never", REFUTED),
    ("at least", "at most", REFUTED), ("at most", "at least", REFUTED), ("more than", "fewer than", REFUTED),
    ("less than", "more than", REFUTED), ("both", "neither", REFUTED), ("any", "no", REFUTED), ("at least", "exactly", OPEN),
]  # fmt: skip
SAME_MEANING = [
    pair.split("=")
    for pair in (
        "begin=start|begins=starts|use=employ|uses=employs|used=employed|shows=demonstrates|helps=assists|large=big|"
        "allows=lets|requires=needs|required=needed|require=need|purchase=buy|obtain=get|about=roughly|"
        "approximately=about|many=numerous|often=frequently|usually=normally|each=every|individuals=people|"
        "ensure=make sure|provides=offers|provide=offer|contains=includes|important=significant|"
        "additional=further|method=approach|changes=modifications|creates=makes|receive=get|receives=gets|whole=entire|"
        "such as=for example|prior to=before|located in=situated in|in addition to=besides"
    ).split("|")
]


def replaced(sentence: str, old: str, new: str) -> Optional[str]:
    found = re.search(rf"\b{re.escape(old)}\b", sentence)
    return sentence[: found.start()] + new + sentence[found.end() :] if found else None


def both_ways(pairs: list[list[str]]) -> list[tuple[str, str]]:
    return [way for one, other in pairs for way in ((one, other), (other, one))]


class Editor:
    """One edit of each kind, or None where a sentence offers nothing to edit. Every method gives the edited sentence and its label."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def figure(self, sentence: str, around: Surroundings) -> Edit:
        found = list(NUMBER.finditer(sentence))
        if not found:
            return None
        place = self.random.choice(found)
        old = place.group(1)
        new = self._other_number(old, around.passage)
        return (sentence[: place.start()] + new + sentence[place.end() :], REFUTED) if new != old else None

    def _other_number(self, old: str, passage: str) -> str:
        value = float(old.replace(",", ""))
        beside = [number for number in NUMBER.findall(passage) if number != old and len(number) <= len(old) + 1]
        if beside and self.random.random() < 0.5:
            return self.random.choice(beside)
        if 1500 <= value <= 2100 and "," not in old and "." not in old:
            return str(int(value) + self.random.choice([-12, -7, -3, -2, -1, 1, 2, 3, 6, 11]))
        if "." in old:
            return f"{value * self.random.choice([0.5, 0.7, 1.2, 1.5, 2, 10]):.{len(old.split('.')[1])}f}"
        if value <= 20:
            return str(max(0, int(value) + self.random.choice([-3, -2, -1, 1, 2, 3, 5, 8])))
        scaled = int(value * self.random.choice([0.5, 0.8, 1.1, 1.25, 2, 3, 10]))
        return f"{scaled:,}" if "," in old else str(scaled)

    def number_word(self, sentence: str, _: Surroundings) -> Edit:
        found = re.search(r"\b(" + "|".join(WORDS[2:]) + r")\b", sentence)
        if not found:
            return None
        number = WORDS.index(found.group(1))
        if self.random.random() < 0.35:
            return sentence[: found.start()] + str(number) + sentence[found.end() :], SUPPORTED
        other = self.random.choice([word for word in WORDS[2:] if word != found.group(1)])
        return sentence[: found.start()] + other + sentence[found.end() :], REFUTED

    def unit(self, sentence: str, _: Surroundings) -> Edit:
        found = [(unit, group) for group in UNITS for unit in group if re.search(rf"\b{unit}\b", sentence)]
        if not found:
            return None
        unit, group = self.random.choice(found)
        return replaced(sentence, unit, self.random.choice([other for other in group if other != unit])), REFUTED

    def date(self, sentence: str, _: Surroundings) -> Edit:
        months = [month for month in MONTHS if re.search(rf"\b{month}\b", sentence)]
        if months:
            month = self.random.choice(months)
            return replaced(sentence, month, self.random.choice([other for other in MONTHS if other != month])), REFUTED
        return self._swapped(sentence, both_ways(ORDER))

    def comparison(self, sentence: str, _: Surroundings) -> Edit:
        return None if sentence.startswith("For more") else self._swapped(sentence, both_ways(OPPOSITES))

    def _swapped(self, sentence: str, ways: list[tuple[str, str]]) -> Edit:
        found = [way for way in ways if re.search(rf"\b{way[0]}\b", sentence)]
        return (replaced(sentence, *self.random.choice(found)), REFUTED) if found else None

    def name(self, sentence: str, around: Surroundings) -> Edit:
        found = list(NAME.finditer(sentence))
        if not found:
            return None
        place = self.random.choice(found)
        beside = [name for name in NAME.findall(around.passage) if name not in sentence]
        others = beside if beside and self.random.random() < 0.5 else [n for n in around.names if n not in around.passage]
        return (sentence[: place.start()] + self.random.choice(others) + sentence[place.end() :], NOT_SUPPORTED) if others else None

    def role(self, sentence: str, _: Surroundings) -> Edit:
        found = re.search(r"\bfrom ((?:the |an? )?[\w-]+) to ((?:the |an? )?[\w-]+)\b", sentence)
        if not found or found.group(1) == found.group(2):
            return None
        return sentence[: found.start()] + f"from {found.group(2)} to {found.group(1)}" + sentence[found.end() :], REFUTED

    def negation(self, sentence: str, _: Surroundings) -> Edit:
        found = re.search(rf"\b{AUXILIARY} not\b", sentence)
        if found:
            return sentence[: found.start()] + found.group(1) + sentence[found.end() :], REFUTED
        if "cannot" in sentence:
            return sentence.replace("cannot", "can", 1), REFUTED
        if re.search(r"\b(?:not|no|never|only|if|unless)\b", sentence):
            return None
        found = re.search(rf"\b{AUXILIARY}\b", sentence)
        return (sentence[: found.end()] + " not" + sentence[found.end() :], REFUTED) if found else None

    def modality(self, sentence: str, _: Surroundings) -> Edit:
        if re.search(r"\b(?:may|must|can) not\b", sentence):
            return None
        for old, new in self.random.sample(RAISED, len(RAISED)):
            edited = replaced(sentence, old, new)
            if edited:
                return edited, NOT_SUPPORTED
        return None

    def quantifier(self, sentence: str, _: Surroundings) -> Edit:
        for old, new, label in self.random.sample(QUANTIFIERS, len(QUANTIFIERS)):
            edited = replaced(sentence, old, new)
            if edited:
                return edited, label
        return None

    def condition(self, sentence: str, _: Surroundings) -> Edit:
        found = re.search(r",? (?:if|unless|when|except|provided that|as long as|only if|where) [^,.]{8,}\.$", sentence)
        if found and len(sentence[: found.start()].split()) >= 5:
            return sentence[: found.start()].rstrip(",") + ".", NOT_SUPPORTED
        return None

    def cause(self, sentence: str, around: Surroundings) -> Edit:
        found = REASON.search(sentence)
        others = found and [reason for word, reason in around.reasons if word == found.group(1) and reason != found.group(2)]
        return (sentence[: found.start(2)] + self.random.choice(others) + ".", NOT_SUPPORTED) if others else None

    def attribution(self, sentence: str, around: Surroundings) -> Edit:
        if not around.names or POINTS_BACK.match(sentence):
            return None
        said = f"{sentence[0].lower()}{sentence[1:]}"
        name = self.random.choice(around.names)
        return self.random.choice([f"According to {name}, {said}", f"{name} has confirmed that {said}"]), OPEN

    def conjunct(self, sentence: str, around: Surroundings) -> Edit:
        added = [other for other in around.short if other not in around.passage]
        if not added:
            return None
        other = self.random.choice(added)
        return sentence[:-1] + self.random.choice([", and ", "; ", ", while "]) + other[0].lower() + other[1:], OPEN

    def dropped_half(self, sentence: str, _: Surroundings) -> Edit:
        found = re.match(r"^(.{25,}?), (?:and|but|while|although) .{12,}\.$", sentence)
        return (found.group(1) + ".", SUPPORTED) if found and len(found.group(1).split()) >= 6 else None

    def reworded(self, sentence: str, _: Surroundings) -> Edit:
        edited, changes = sentence, 0
        ways = both_ways(SAME_MEANING)
        for old, new in self.random.sample(ways, len(ways)):
            other = replaced(edited, old, new)
            if other and changes < 3 and new not in sentence:
                edited, changes = other, changes + 1
        return (edited, SUPPORTED) if changes else None


"""Kinds that are found in most sentences are taken less often."""
SHARES = {"name": 0.35, "conjunct": 0.13, "attribution": 0.07, "negation": 0.3, "reworded": 0.35, "figure": 0.7, "modality": 0.7}
KINDS = (
    "figure number_word unit date comparison name role negation modality quantifier condition cause attribution conjunct dropped_half reworded"
).split()
"""Which kinds may change the passage instead: what is said of a name, a role, a reason or a condition then is no contradiction."""
ON_PASSAGE = {"figure", "number_word", "unit", "date", "comparison", "negation", "quantifier", "modality"}


def make_edits(pairs: list[Pair], seed: int = SEED) -> Iterator[dict]:
    """`{"passage", "claim", "label", "kind", "source"}`, edits of a sentence followed by the sentence as it was."""
    editor = Editor(seed)
    by_source: dict[str, list[str]] = {}
    for pair in pairs:
        if pair.source not in HELD_OUT | WITHOUT_SENTENCES:
            by_source.setdefault(pair.source, []).append(pair.passage)
    for source, passages in sorted(by_source.items()):
        editor.random.shuffle(passages)
        texts = [split(passage) for passage in passages[:PAIRS_PER_SOURCE]]
        usable = [sentence for text in texts for sentence in text if is_usable(sentence)]
        if len(usable) < 50:
            continue
        names = sorted({name for sentence in usable for name in NAME.findall(sentence) if len(name) > 3})
        short = [sentence for sentence in usable if len(sentence.split()) <= 11 and not POINTS_BACK.match(sentence)]
        reasons = [found.groups() for sentence in usable for found in [REASON.search(sentence)] if found]
        for text in texts:
            whole = [sentence for sentence in text if is_usable(sentence)]
            if whole:
                sentence = editor.random.choice(whole)
                passage = window(text, text.index(sentence), editor.random)
                sample = lambda items, count: editor.random.sample(items, min(count, len(items)))
                around = Surroundings(passage, sample(names, 40), sample(short, 20), sample(reasons, 40))
                for row in edit_sentence(editor, sentence, around):
                    yield {**row, "source": source}


def edit_sentence(editor: Editor, sentence: str, around: Surroundings) -> Iterator[dict]:
    made = 0
    for kind in editor.random.sample(KINDS, len(KINDS)):
        if made == EDITS_PER_SENTENCE or editor.random.random() > SHARES.get(kind, 1.0):
            continue
        method: Callable[[str, Surroundings], Edit] = getattr(editor, kind)
        edited, label = method(sentence, around) or (None, "")
        if not edited or edited == sentence:
            continue
        made += 1
        on_passage = kind in ON_PASSAGE and label in (REFUTED, NOT_SUPPORTED) and editor.random.random() < PASSAGE_SHARE
        passage = around.passage.replace(sentence, edited) if on_passage else around.passage
        yield {"passage": passage, "claim": sentence if on_passage else edited, "label": label, "kind": kind}
    if made:
        twin = editor.reworded(sentence, around) if editor.random.random() < REWORDED_TWINS else None
        yield {"passage": around.passage, "claim": twin[0] if twin else sentence, "label": SUPPORTED, "kind": "unchanged"}


def split(text: str) -> list[str]:
    return [sentence.strip() for sentence in BREAK.split(re.sub(r"\s+", " ", text))]


def is_usable(sentence: str) -> bool:
    """Prose of 7 to 34 words without markup."""
    words = sentence.split()
    if not 7 <= len(words) <= 34 or not sentence[0].isupper() or sentence[-1] != "." or MARKUP.search(sentence):
        return False
    return sum(word.strip(".,;()\"'").isalpha() for word in words) / len(words) > 0.7


def window(text: list[str], place: int, random: random.Random) -> str:
    """The sentence with up to three others on either side, as many as fit; often alone, which is what a comparison is learned from first."""
    before, after = random.choice(SIDES), random.choice(SIDES)
    first, end = max(0, place - before), min(len(text), place + 1 + after)
    while len(" ".join(text[first:end]).split()) > PASSAGE_WORDS and end - first > 1:
        if end - 1 > place:
            end -= 1
        else:
            first += 1
    return " ".join(text[first:end])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=300_000)
    options = parser.parse_args()
    rows = list(make_edits(read_pairs(options.pairs)))
    random.Random(SEED).shuffle(rows)
    with gzip.open(options.out, "wt", encoding="utf8") as lines:
        for row in rows[: options.limit]:
            lines.write(json.dumps(row, ensure_ascii=False) + "\n")
    print(f"{len(rows)} made, {min(len(rows), options.limit)} written")


if __name__ == "__main__":
    main()
