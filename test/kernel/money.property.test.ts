import fc from "fast-check";
import t from "tap";
import { formatUsd, parseUsd, toUsdNumber } from "../../src/kernel/money.js";

t.test("every amount survives being written and read", async () => {
	fc.assert(
		fc.property(
			fc.bigInt({ min: 0n, max: 10n ** 15n }),
			(micros) => parseUsd(formatUsd(micros)) === micros,
		),
	);
});

t.test("written amounts have two to six decimals and no needless zeros", async (t) => {
	t.equal(formatUsd(500_000n), "0.50");
	t.equal(formatUsd(30_000_000n), "30.00");
	t.equal(formatUsd(1n), "0.000001");
	t.equal(formatUsd(1_230_000n), "1.23");
	t.equal(formatUsd(1_234_000n), "1.234");
	t.equal(formatUsd(-500_000n), "-0.50");
	t.equal(toUsdNumber(500_000n), 0.5);
});

for (const text of [
	"",
	"-1",
	"1e3",
	"1.2345678",
	"0x1",
	" 1",
	"1.",
	".5",
	"NaN",
	"9999999999999",
]) {
	t.test(`"${text}" is refused as an amount`, async (t) => {
		t.throws(() => parseUsd(text), { code: "INVALID_ARGUMENT" });
	});
}
