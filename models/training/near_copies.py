"""
Claims that say what a passage says in nearly its words: whole sentences of it and parts of them. Beside the version of the passage that
they come from they are supported; where a group's change touched them, the other version does not support them.

Authors were asked for supported claims in other words and for refuted ones in the passage's own: of claims that share four fifths of their
words with it, seven in ten are refuted. A model that has seen those alone takes closeness for a lie.
"""

import json
import random
import re
from pathlib import Path
from typing import Iterable, Iterator

from claim_pairs import NOT_SUPPORTED, ClaimPair

BREAK = re.compile(r'(?<=[.!?])\s+(?=[A-Z"(])')
LEAST_WORDS, MOST_WORDS = 4, 32
"""What a sentence begins with that holds only with what was said before it, or under a condition."""
DEPENDENT = re.compile(r"^(?:It|This|They|These|That|Those|He|She|We|You|His|Her|Its|Their|However|But|So|And|If|Unless|When|Where|While|Although|Without|Until)\b")
FINITE = re.compile(
    r"\b(?:is|are|was|were|can|will|does|do|did|has|have|had|should|must|may|might|could|would|shall|became|began|came|made|took|gave|held|kept|"
    r"\w+(?:ed|izes|ises|ows|ows|ides|ines|ires|udes|ains|eeds|akes|ives|ets|ses|rts|rns|lls|nds|ends|ates|eats|eads|ays|uns|ows|olds|eps))\b"
)
ASIDE = re.compile(r"\s*\([^()]*\)")
RELATIVE = re.compile(r", (?:which|who|whose|where)\b[^,;.]*(?=[,;.])")
TAIL = re.compile(r"(?:, (?:which|who|whose|where|and|but|so|while|whereas|because|since|although|making|leaving|allowing|giving)\b|; |: )(?P<rest>.*)$")
DATED = re.compile(r"^(?:In|On|Since|By) (?:[A-Z][a-z]+ )?(?:\d{1,2},? )?\d{4}, (?=\w)")
LINKING = re.compile(r"\b(?:also|therefore|thus|moreover|furthermore|in turn|in addition) ", re.IGNORECASE)
"""A change of these may leave a claim supported: who must, may."""
GRADED = re.compile(
    r"\b(?:may|might|must|can|cannot|could|should|shall|will|would|not|no|never|none|only|some|all|any|every|each|most|many|few|several|least|at most|up to|"
    r"over|under|more|less|fewer|always|often|usually|sometimes|rarely|both|either|about|nearly|almost|if|unless|except)\b",
    re.IGNORECASE,
)


def shorten(sentence: str) -> list[str]:
    """Parts of a sentence that it implies, each a sentence. What is left out neither limits nor negates what stays."""
    whole = ASIDE.sub("", sentence)
    found = [whole, RELATIVE.sub("", whole)]
    tail = TAIL.search(whole)
    if tail:
        found.append(whole[: tail.start()])
        rest = tail["rest"]
        if tail.group().startswith(";") and not DEPENDENT.match(rest[:1].upper() + rest[1:]):
            found.append(rest)
    found += [DATED.sub("", part) for part in list(found)]
    found += [LINKING.sub("", part) for part in list(found)]
    parts = (part.strip().rstrip(".,;:") for part in found)
    parts = [part[:1].upper() + part[1:] + "." for part in parts if part]
    return [part for part in dict.fromkeys(parts) if part != sentence and is_claim(part)]


def is_claim(text: str) -> bool:
    return LEAST_WORDS <= len(text.split()) <= MOST_WORDS and FINITE.search(text) is not None and DEPENDENT.match(text) is None


def read_near_copies(folder: Path, authors: Iterable[int], share: float, seed: int) -> Iterator[ClaimPair]:
    """Of this share of the groups: claims from the sentence that the change is in, in both versions, and one from another sentence."""
    chance = random.Random(seed)
    for author in authors:
        for line in (folder / f"author-{author:02d}.jsonl").read_text(encoding="utf8").splitlines():
            group = json.loads(line)
            if chance.random() < share:
                yield from copies_of(group, chance)


def copies_of(group: dict, chance: random.Random) -> Iterator[ClaimPair]:
    old, new = group["old"], group["new"]
    before, after = group["passage"], group["passage"].replace(old, new)
    decides = not (GRADED.search(old) or GRADED.search(new))
    for own, other, told, turned in ((before, after, old, new), (after, before, new, old)):
        touched = [part for sentence in BREAK.split(own) for part in claims_of(sentence) if told in part and part not in other]
        if touched:
            claim = chance.choice(touched)
            twin = (group["id"], "copy", claim)
            yield ClaimPair(own, claim, "S", "copy", twin if decides else None)
            if decides:
                yield ClaimPair(other, claim, NOT_SUPPORTED, "copy", twin)
    same = [part for sentence in BREAK.split(before) if sentence in after for part in claims_of(sentence)]
    if same:
        yield ClaimPair(chance.choice((before, after)), chance.choice(same), "S", "copy")


def claims_of(sentence: str) -> list[str]:
    """Its parts; itself where it has none."""
    return shorten(sentence) or [part for part in (sentence,) if is_claim(part)]
