"""Pays for one search from a wallet by x402, version 2.

pip install httpx eth-account
WALLET_KEY=0x… python examples/python/pay_with_x402.py http://127.0.0.1:8402 eip155:84532 0x<token>
"""

import base64
import json
import os
import secrets
import sys
import time
import uuid

import httpx
from eth_account import Account

MAX_UNITS = 500_000  # 0.50 USD in a token with six decimals
PATH = "/v1/graphs/agent-payments/search"
INPUT = {"query": "Which HTTP status code asks for payment?", "limit": 1}
TRANSFER = [
    {"name": "from", "type": "address"},
    {"name": "to", "type": "address"},
    {"name": "value", "type": "uint256"},
    {"name": "validAfter", "type": "uint256"},
    {"name": "validBefore", "type": "uint256"},
    {"name": "nonce", "type": "bytes32"},
]

base_url, network, asset = sys.argv[1:]
wallet = Account.from_key(os.environ["WALLET_KEY"])

with httpx.Client(base_url=base_url, timeout=60) as http:
    headers = {"Idempotency-Key": str(uuid.uuid4())}
    asked = http.post(PATH, json=INPUT, headers=headers)
    if asked.status_code != 402:
        sys.exit(f"The server asks for no payment: {asked.status_code}")
    required = json.loads(base64.b64decode(asked.headers["PAYMENT-REQUIRED"]))
    # Which token is paid in is ours to say, and how much: what is checked here is what is signed.
    offers = [
        one
        for one in required["accepts"]
        if one["scheme"] == "exact" and one["network"] == network and one["asset"].lower() == asset.lower()
    ]
    if not offers or int(offers[0]["amount"]) > MAX_UNITS:
        sys.exit("The server asks for a payment in another token, or for more than this may pay.")
    offer = offers[0]

    now = int(time.time())
    authorization = {
        "from": wallet.address,
        "to": offer["payTo"],
        "value": offer["amount"],
        "validAfter": str(now - 600),
        "validBefore": str(now + offer["maxTimeoutSeconds"]),
        "nonce": "0x" + secrets.token_hex(32),
    }
    message = {
        **authorization,
        "value": int(authorization["value"]),
        "validAfter": int(authorization["validAfter"]),
        "validBefore": int(authorization["validBefore"]),
        "nonce": bytes.fromhex(authorization["nonce"][2:]),
    }
    domain = {
        "name": offer["extra"]["name"],
        "version": offer["extra"]["version"],
        "chainId": int(network.removeprefix("eip155:")),
        "verifyingContract": offer["asset"],
    }
    signed = wallet.sign_typed_data(domain, {"TransferWithAuthorization": TRANSFER}, message)
    payment = {
        "x402Version": 2,
        "resource": required["resource"],
        "accepted": offer,
        "payload": {"signature": "0x" + signed.signature.hex().removeprefix("0x"), "authorization": authorization},
    }
    headers["PAYMENT-SIGNATURE"] = base64.b64encode(json.dumps(payment).encode()).decode()
    # Sent again with the same payment and key it would not pay again.
    reply = http.post(PATH, json=INPUT, headers=headers)

body = reply.json()
if reply.is_error:
    sys.exit(f"{body['error']['code']}: {body['error']['message']}")
row, cost = body["rows"][0], body["meta"]["cost"]
print(f"{row['name']} ({row['evidence'][0]['source_url']}): {cost['amount_usd']} USD by {cost['rail']}")
settled = json.loads(base64.b64decode(reply.headers["PAYMENT-RESPONSE"]))
print(f"settled in {settled['transaction']}")
