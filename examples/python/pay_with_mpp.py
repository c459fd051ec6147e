"""Pays for one search from a wallet by MPP, the "Payment" scheme of HTTP authentication, method evm.

pip install httpx eth-account
WALLET_KEY=0x… python examples/python/pay_with_mpp.py http://127.0.0.1:8402 eip155:84532 0x<token>
"""

import base64
import json
import os
import re
import sys
import uuid
from datetime import datetime

import httpx
from eth_account import Account
from eth_utils import keccak

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
CHALLENGE = re.compile(r'Payment\s+((?:[\w-]+="(?:[^"\\]|\\.)*"(?:\s*,\s*(?=[\w-]+="))?)+)')
PARAMETER = re.compile(r'([\w-]+)="((?:[^"\\]|\\.)*)"')


def decode(text: str) -> dict:
    return json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))


def read_challenges(header: str) -> list[dict]:
    return [
        {name: re.sub(r"\\(.)", r"\1", value) for name, value in PARAMETER.findall(parameters)}
        for parameters in CHALLENGE.findall(header)
    ]


base_url, network, asset = sys.argv[1:]
wallet = Account.from_key(os.environ["WALLET_KEY"])

with httpx.Client(base_url=base_url, timeout=60) as http:
    headers = {"Idempotency-Key": str(uuid.uuid4())}
    asked = http.post(PATH, json=INPUT, headers=headers)
    challenges = [
        one
        for one in read_challenges(asked.headers.get("WWW-Authenticate", ""))
        if one["method"] == "evm" and one["intent"] == "charge"
    ]
    if not challenges:
        sys.exit("The server asks for no payment on a chain.")
    challenge, request = challenges[0], decode(challenges[0]["request"])
    chain_id = request["methodDetails"]["chainId"]
    # Which token is paid in is ours to say, and how much: what is checked here is what is signed.
    is_ours = f"eip155:{chain_id}" == network and request["currency"].lower() == asset.lower()
    if not is_ours or int(request["amount"]) > MAX_UNITS:
        sys.exit("The server asks for a payment in another token, or for more than this may pay.")
    # What the token's signatures are made over stands in the body.
    token = next(one for one in asked.json()["continuations"] if one["type"] == "mpp")

    expires = int(datetime.fromisoformat(challenge["expires"].replace("Z", "+00:00")).timestamp())
    # The nonce binds the payment to this challenge, and so to this one call.
    nonce = keccak(text=challenge["id"] + challenge["realm"])
    message = {
        "from": wallet.address,
        "to": request["recipient"],
        "value": int(request["amount"]),
        "validAfter": 0,
        "validBefore": expires,
        "nonce": nonce,
    }
    domain = {
        "name": token["asset_name"],
        "version": token["asset_version"],
        "chainId": chain_id,
        "verifyingContract": request["currency"],
    }
    signed = wallet.sign_typed_data(domain, {"TransferWithAuthorization": TRANSFER}, message)
    credential = {
        "challenge": challenge,
        "payload": {
            "type": "authorization",
            "from": wallet.address,
            "to": request["recipient"],
            "value": request["amount"],
            "validAfter": "0",
            "validBefore": str(expires),
            "nonce": "0x" + nonce.hex(),
            "signature": "0x" + signed.signature.hex().removeprefix("0x"),
        },
        "source": f"did:pkh:{network}:{wallet.address}",
    }
    encoded = base64.urlsafe_b64encode(json.dumps(credential).encode()).decode().rstrip("=")
    # Sent again with the same payment and key it would not pay again.
    reply = http.post(PATH, json=INPUT, headers={**headers, "Authorization": f"Payment {encoded}"})

body = reply.json()
if reply.is_error:
    sys.exit(f"{body['error']['code']}: {body['error']['message']}")
row, cost = body["rows"][0], body["meta"]["cost"]
print(f"{row['name']} ({row['evidence'][0]['source_url']}): {cost['amount_usd']} USD by {cost['rail']}")
print(f"settled in {decode(reply.headers['Payment-Receipt'])['reference']}")
