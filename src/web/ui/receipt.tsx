import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type CallReply, call, isCharged } from "./calls.js";

type Verdict = "checking" | "valid" | "invalid";

/** What was paid for a reply, and whether the server's signature of it holds. */
export function Receipt({
	reply,
	title,
	token,
}: {
	readonly reply: CallReply;
	readonly title: string;
	/** What paid: its receipts are its owner's to read. */
	readonly token: string;
}) {
	const [verdict, setVerdict] = useState<Verdict>("checking");
	const { receiptId, costUsd, balanceUsd } = reply;
	useEffect(() => {
		if (receiptId) void verify(receiptId, token).then(setVerdict);
	}, [receiptId, token]);
	if (receiptId === null && isCharged(reply)) {
		return (
			<p class="row small">
				<span class="badge badge-toll">
					{costUsd} USD is held, and taken when the work completes with an answer.
				</span>
			</p>
		);
	}
	if (receiptId === null) {
		return (
			<p class="row small">
				<span class="badge badge-pass">Nothing was charged.</span>
			</p>
		);
	}
	return (
		<section class="receipt" aria-label="Receipt">
			<header>
				<h3>Receipt</h3>
				<Signature verdict={verdict} />
			</header>
			<dl>
				<Line name="Number">
					<span class="mono">{receiptId}</span>
				</Line>
				<Line name="For">{title}</Line>
				<div class="total">
					<dt>Total</dt>
					<dd>{costUsd ?? "0.00"} USD</dd>
				</div>
				{balanceUsd !== null && <Line name="Left">{balanceUsd} USD</Line>}
			</dl>
		</section>
	);
}

function Line({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
	return (
		<div>
			<dt>{name}</dt>
			<dd>{children}</dd>
		</div>
	);
}

const SAID = {
	checking: ["badge", "Checking the signature"],
	valid: ["badge badge-pass", "Signature verified"],
	invalid: ["badge badge-stop", "Signature not verified"],
} as const;

function Signature({ verdict }: { readonly verdict: Verdict }) {
	const [style, words] = SAID[verdict];
	return <span class={style}>{words}</span>;
}

async function verify(receiptId: string, token: string): Promise<Verdict> {
	try {
		const found = await call({ method: "GET", path: `/v1/receipts/${receiptId}`, token });
		const { data } = (found.body ?? {}) as { data?: { jws?: unknown } };
		const jws = data?.jws;
		const checked = await call({ method: "POST", path: "/v1/receipts/verify", body: { jws } });
		const { data: outcome } = (checked.body ?? {}) as { data?: { valid?: unknown } };
		return outcome?.valid === true ? "valid" : "invalid";
	} catch {
		return "invalid";
	}
}
