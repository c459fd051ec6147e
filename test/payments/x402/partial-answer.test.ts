import t from "tap";
import { PRICE, startOnchain, toAdmission } from "./start-onchain.js";

for (const settlesFirst of [false, true]) {
	const moment = settlesFirst ? "before" : "after";
	t.test(
		`what settles ${moment} the work is charged whole, however little it answers`,
		async (t) => {
			const { onchain, wallet, chain, balances } = await startOnchain();
			const request = toAdmission({ chain }, wallet.sign({ value: PRICE }), { settlesFirst });
			const admission = await onchain.admit(request);
			if (admission.kind !== "held") return t.fail("it was never paid before");
			const { receipt } = await admission.capture({ amountMicros: PRICE / 2n, units: [0] });
			t.equal(receipt.amountMicros, PRICE);
			t.equal(receipt.paidUnits, undefined, "every unit is paid for, so a replay has all of them");
			const left = Object.entries(await balances()).filter(([name]) => name.startsWith("cust:"));
			t.same(left, [], "nothing of it is left lying with the wallet");
			return undefined;
		},
	);
}
