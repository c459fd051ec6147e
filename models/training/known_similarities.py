"""A dozen similarities to know the model by: `npm run model:verify` compares them with what the service's runtime makes."""

import json
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from export import MODEL_FILE, quantise_rows
from table_model import encode
from vocabulary import tokenize
from weighing import Weighing

TOLERANCE = 0.0005
"""Share of the lead found that an answer must keep over what is beside the point."""
KEPT_LEAD = 0.5
LONG = "Before the call is made its price is held; when an answer leaves, the hold is captured, else it is released. " * 12

"""A query, a passage that answers it, one that does not."""
TRIPLES = (
    ("how to reset a password", "Recover access to your account with a new password.", "The treaty was signed by both states."),
    ("symptoms of diabetes", "High blood sugar causes thirst and frequent urination.", "The parser reads tokens from the input."),
    ("who pays transaction fees", "Gas for the transaction is charged to the sender.", "The library opens a window."),
    ("encrypt data on disk", "Storage encryption protects files at rest with a key.", "Interest rates rose during the quarter."),
    ("schedule a pod on a node", "The Kubernetes scheduler assigns pods to nodes.", "A lawful arrest requires a warrant."),
    ("inflation and consumer prices", "The price index measures how prices of goods rise.", "Compile the kernel module."),
    ("tax on income of companies", "Corporations pay tax on their profits.", "The protein binds to the cell membrane."),
    ("remove a file from version control", "Delete the file and commit to the Git repository.", "Exports of copper declined."),
    ("treatment of high blood pressure", "Hypertension is treated with medicine and diet.", "The socket is closed after a timeout."),
    ("HTTP/2", "HTTP/2 multiplexes streams over one connection.", "Wheat is sown in autumn."),
    ("price hold when is it released", LONG, "The glacier retreated by forty metres."),
    ("Zahlung ✓ 支払い", "¿Quién paga?", "The river froze over."),
)


def save_table_similarities(table: np.ndarray, weighing: Weighing, tokenizer: Tokenizer, folder: Path) -> None:
    """Cosines of the int8 table, as floats compute them."""
    rows, scales = quantise_rows(table)
    vectors = encode(rows * scales, tokenize(tokenizer, texts_of_triples(), 510), weighing=weighing)
    save_known_similarities(vectors, folder)


def save_encoder_similarities(folder: Path, max_tokens: int) -> None:
    """Cosines of the folder's graph, as the runtime for Python computes them, one text at a time."""
    session = onnxruntime.InferenceSession(str(folder / MODEL_FILE), providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(max_tokens)
    tokenizer.no_padding()
    vectors = []
    for text in texts_of_triples():
        ids = np.asarray([tokenizer.encode(text).ids], dtype=np.int64)
        rows = session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0][0].mean(0)
        vectors.append(rows / np.linalg.norm(rows))
    save_known_similarities(np.asarray(vectors), folder)


def texts_of_triples() -> list[str]:
    return [text for triple in TRIPLES for text in triple]


def save_known_similarities(vectors: np.ndarray, folder: Path) -> None:
    """`vectors`: unit rows of the texts of all triples."""
    vectors = vectors.reshape(len(TRIPLES), 3, -1)
    near = np.einsum("ij,ij->i", vectors[:, 0], vectors[:, 1])
    far = np.einsum("ij,ij->i", vectors[:, 0], vectors[:, 2])
    known = {
        "tolerance": TOLERANCE,
        "similarities": [
            {"query": query, "passage": passage, "cosine": round(float(cosine), 4)}
            for (query, passage, _), cosine in zip(TRIPLES, near)
        ],
        "orderings": [
            {"query": query, "near": right, "far": wrong, "margin": round(KEPT_LEAD * float(lead), 4)}
            for (query, right, wrong), lead in zip(TRIPLES[:-1], near - far)
        ],
    }
    text = json.dumps(known, indent="\t", ensure_ascii=False) + "\n"
    (folder / "known-similarities.json").write_text(text, encoding="utf8")
