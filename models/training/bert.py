"""A BERT of any size: read from safetensors, trained by PyTorch."""

import json
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional as F


"""Added to the attention score of a place that is no token."""
MASKED_SCORE = -1e4


class Block(nn.Module):
    """Attention and a two-layer perceptron, normalised after each (as BERT does)."""

    def __init__(self, width: int, heads: int, inner: int, eps: float) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.attention_out = nn.Linear(width, width)
        self.attention_norm = nn.LayerNorm(width, eps=eps)
        self.inner = nn.Linear(width, inner)
        self.inner_out = nn.Linear(inner, width)
        self.inner_norm = nn.LayerNorm(width, eps=eps)

    def forward(self, stream: Tensor, mask: Tensor, dropout: float) -> Tensor:
        batch, tokens, width = stream.shape
        query, key, value = (
            layer(stream).view(batch, tokens, self.heads, -1).transpose(1, 2)
            for layer in (self.query, self.key, self.value)
        )
        # Written out: the backward pass of PyTorch's fused attention takes half of a step on processor cores.
        scores = query @ key.transpose(2, 3) * (width // self.heads) ** -0.5 + mask
        mixed = torch.softmax(scores, -1) @ value
        mixed = self.attention_out(mixed.transpose(1, 2).reshape(batch, tokens, width))
        stream = self.attention_norm(stream + F.dropout(mixed, dropout, self.training))
        inner = self.inner_out(F.gelu(self.inner(stream)))
        return self.inner_norm(stream + F.dropout(inner, dropout, self.training))


class Bert(nn.Module):
    """The body without a pooler: one vector for each token."""

    def __init__(self, config: dict) -> None:
        super().__init__()
        width, eps = config["hidden_size"], config["layer_norm_eps"]
        self.config = config
        self.tokens = nn.Embedding(config["vocab_size"], width)
        self.places = nn.Embedding(config["max_position_embeddings"], width)
        self.segments = nn.Embedding(config["type_vocab_size"], width)
        self.norm = nn.LayerNorm(width, eps=eps)
        self.blocks = nn.ModuleList(
            Block(width, config["num_attention_heads"], config["intermediate_size"], eps)
            for _ in range(config["num_hidden_layers"])
        )
        """Share of components left out in training."""
        self.dropout = 0.1

    def forward(self, ids: Tensor, mask: Tensor, segments: Tensor | None = None) -> Tensor:
        """ids, mask, segments: (b, t) integers, mask 1 for tokens; returns (b, t, width)."""
        rows = self.tokens(ids) + self.places.weight[: ids.shape[1]]
        rows = rows + (self.segments.weight[0] if segments is None else self.segments(segments))
        stream = F.dropout(self.norm(rows), self.dropout, self.training)
        bias = (1 - mask[:, None, None, :]) * MASKED_SCORE
        for block in self.blocks:
            stream = block(stream, bias, self.dropout)
        return stream


"""What the transformers library calls each part, and what it is called here."""
NAMES = {
    "embeddings.word_embeddings": "tokens",
    "embeddings.position_embeddings": "places",
    "embeddings.token_type_embeddings": "segments",
    "embeddings.LayerNorm": "norm",
    "attention.self.query": "query",
    "attention.self.key": "key",
    "attention.self.value": "value",
    "attention.output.dense": "attention_out",
    "attention.output.LayerNorm": "attention_norm",
    "intermediate.dense": "inner",
    "output.dense": "inner_out",
    "output.LayerNorm": "inner_norm",
}


def load_bert(folder: Path) -> Bert:
    """From `config.json` and `model.safetensors` with the names of the transformers library; the pooler is left out."""
    model = Bert(json.loads((folder / "config.json").read_text()))
    weights = {}
    for name, tensor in load_file(folder / "model.safetensors").items():
        name = name.removeprefix("bert.")
        if name.startswith("pooler") or name.endswith("position_ids"):
            continue
        if name.startswith("encoder.layer."):
            index, rest = name.removeprefix("encoder.layer.").split(".", 1)
            stem, kind = rest.rsplit(".", 1)
            weights[f"blocks.{index}.{NAMES[stem]}.{kind}"] = tensor.float()
        else:
            stem, kind = name.rsplit(".", 1)
            weights[f"{NAMES[stem]}.{kind}"] = tensor.float()
    model.load_state_dict(weights)
    return model
