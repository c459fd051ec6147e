import { ServiceError } from "../kernel/kernel.js";

/** Where mails go out. */
export interface MailSettings {
	/** `smtp://` or `smtps://`, with user name and password where needed. */
	readonly url: string;
	readonly from: string;
}

export const MAIL_ROWS = [
	{
		key: "smtp_url",
		default: "",
		description:
			"Mail server that briefings are sent through, e.g. `smtps://user:password@mail.example.org`; without one none are mailed.",
	},
	{
		key: "mail_from",
		default: "",
		description: "Sender of those mails: an address, or `Name <address>`.",
	},
] as const;

const ADDRESS = /^(?:[^<>@\r\n]{1,100}\s)?<?[^\s<>@]{1,64}@[A-Za-z0-9.-]{1,255}>?$/;

/** Undefined while no mail server is set. Throws INVALID_ARGUMENT; the address of the server may be a secret and is not repeated. */
export function parseMailSettings(
	text: (key: "smtp_url" | "mail_from") => string,
): MailSettings | undefined {
	const [url, from] = [text("smtp_url"), text("mail_from")];
	if (url === "") return undefined;
	const isAddress = URL.canParse(url) && /^smtps?:$/.test(new URL(url).protocol);
	if (!isAddress) {
		throw new ServiceError(
			"INVALID_ARGUMENT",
			"smtp_url must read smtp://host:port or smtps://user:password@host.",
		);
	}
	if (ADDRESS.test(from)) return { url, from };
	throw new ServiceError(
		"INVALID_ARGUMENT",
		'With smtp_url goes mail_from, the sender of mails: an address, or "Name <address>".',
	);
}
