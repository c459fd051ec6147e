"""The WordPiece vocabulary and texts as token numbers."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, Sequence

import numpy as np
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
MASK = SPECIAL_TOKENS.index("[MASK]")


@dataclass(frozen=True)
class TokenLists:
    """Texts as token numbers, end to end: text `i` is `tokens[starts[i]:starts[i + 1]]`."""

    tokens: np.ndarray
    starts: np.ndarray

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> np.ndarray:
        return np.diff(self.starts)


def train_vocabulary(texts: Iterable[str], size: int) -> Tokenizer:
    """Lower case, punctuation apart, as BERT reads text; the same texts give the same vocabulary."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(
        vocab_size=size, special_tokens=list(SPECIAL_TOKENS), show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    return tokenizer


def tokenize(tokenizer: Tokenizer, texts: Sequence[str], max_tokens: int) -> TokenLists:
    """Without the special tokens, whose rows are zero; longer texts are cut."""
    parts, lengths = [], []
    for first in range(0, len(texts), 10_000):
        batch = tokenizer.encode_batch(list(texts[first : first + 10_000]), add_special_tokens=False)
        for encoding in batch:
            tokens = np.asarray(encoding.ids[:max_tokens], dtype=np.uint16)
            parts.append(tokens)
            lengths.append(len(tokens))
    starts = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=starts[1:])
    return TokenLists(np.concatenate(parts), starts)


def read_tokenizer(folder: Path) -> Tokenizer:
    """Of a model folder; texts are neither cut nor padded."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def save_tokenizer(tokenizer: Tokenizer, folder: Path, max_tokens: int) -> None:
    """`tokenizer.json` and `tokenizer_config.json` as transformers.js reads them."""
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    config = {
        "tokenizer_class": "BertTokenizer",
        "do_lower_case": True,
        "model_max_length": max_tokens,
        "pad_token": "[PAD]",
        "unk_token": "[UNK]",
        "cls_token": "[CLS]",
        "sep_token": "[SEP]",
        "mask_token": "[MASK]",
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(config, indent=1) + "\n")
