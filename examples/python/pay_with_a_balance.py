"""Pays for one search from a Shared Payment Token or the account of an API key, once however often it is sent.

pip install httpx
TOLLGRAPH_SPT=spt_… python examples/python/pay_with_a_balance.py http://127.0.0.1:8402   # or TOLLGRAPH_API_KEY=sk_…
"""

import os
import sys
import time
import uuid
from decimal import Decimal

import httpx

MAX_USD = Decimal("0.50")
TRIES = 4
INPUT = {"query": "Which HTTP status code asks for payment?", "limit": 1}

if "TOLLGRAPH_SPT" in os.environ:
    credential = {"X-Pay-SPT": os.environ["TOLLGRAPH_SPT"]}
else:
    credential = {"X-API-Key": os.environ["TOLLGRAPH_API_KEY"]}

with httpx.Client(base_url=sys.argv[1], timeout=60) as http:
    # The price is asked without the credential; the quote holds for ten minutes.
    order = {"operation": "graphs.search", "input": {"graph_id": "agent-payments", **INPUT}}
    quote = http.post("/v1/quotes", json=order).raise_for_status().json()["data"]
    if Decimal(quote["amount_usd"]) > MAX_USD:
        sys.exit(f"It costs {quote['amount_usd']} USD, more than {MAX_USD}.")

    # One key for all tries: a call that is sent again is not charged again.
    headers = {**credential, "Idempotency-Key": str(uuid.uuid4()), "X-Quote-Id": quote["quote_id"]}
    for attempt in range(TRIES):
        try:
            reply = http.post("/v1/graphs/agent-payments/search", json=INPUT, headers=headers)
        except httpx.TransportError:
            if attempt == TRIES - 1:
                raise
            time.sleep(2**attempt / 4)
            continue
        if reply.status_code not in (429, 503):
            break
        time.sleep(int(reply.headers.get("Retry-After", 1)))

body = reply.json()
if reply.is_error:
    sys.exit(f"{body['error']['code']}: {body['error']['message']}")
row, cost = body["rows"][0], body["meta"]["cost"]
print(f"{row['name']} ({row['evidence'][0]['source_url']}): {cost['amount_usd']} USD by {cost['rail']}")
print(f"receipt {cost['receipt_id']}")
