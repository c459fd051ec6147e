/** The domain itself, then what is left without its ending: `www.example.co.uk` is perhaps called Example. */
export function namesInDomain(domain: string): readonly string[] {
	const [, host = ""] = /^(?:[a-z][a-z\d+.-]*:\/\/)?([^/?#]*)/i.exec(domain.trim()) ?? [];
	const labels = host
		.replace(/:\d+$/, "")
		.replace(/^www\./i, "")
		.split(".")
		.filter((label) => label !== "");
	const ownAt = labels.length > 2 && (labels.at(-2)?.length ?? 0) <= 3 ? -3 : -2;
	const own = labels.at(ownAt);
	return [labels.join("."), ...(own === undefined ? [] : [own])];
}

/** As written, then the symbol alone: `NASDAQ:AAPL`, `$AAPL`. */
export function namesInTicker(ticker: string): readonly string[] {
	const [symbol = ""] = /[^:$]*$/.exec(ticker.trim()) ?? [];
	return [...new Set([ticker, symbol])];
}
