import type { Transporter } from "nodemailer";
import {
	invalidArgument,
	type Mailer,
	type MailMessage,
	type ServiceError,
	unavailable,
} from "../kernel/kernel.js";

interface SmtpServer {
	/** `smtp://` or `smtps://`, with user name and password where the server wants them. */
	readonly url: string;
	/** Sender: an address, or a name and an address. */
	readonly from: string;
	readonly timeoutMs: number;
}

/**
 * Hands mails to the one server the operator configured. Nothing of a message can become a header, a file or an address:
 * subjects are one line, text and HTML are given as they are, and attachments, links to files and other recipients are off.
 */
export function createSmtpMailer({ url, from, timeoutMs }: SmtpServer): Mailer {
	let opened: Promise<Transporter> | undefined;
	const open = async () => {
		// Loaded with the first mail: most calls need none. Of a package of CommonJS the bundle has no other name than this one.
		const { default: nodemailer } = await import("nodemailer");
		return nodemailer.createTransport({
			url,
			connectionTimeout: timeoutMs,
			greetingTimeout: timeoutMs,
			socketTimeout: timeoutMs,
			dnsTimeout: timeoutMs,
			disableFileAccess: true,
			disableUrlAccess: true,
		});
	};
	return {
		async send({ to, subject, text, html, messageId, unsubscribeUrl }: MailMessage) {
			try {
				opened ??= open();
				const transport = await opened.catch((error: unknown) => {
					opened = undefined;
					throw error;
				});
				await transport.sendMail({
					from,
					to: { name: "", address: to },
					subject: subject.replace(/\s+/g, " "),
					text,
					html,
					messageId: `<${messageId}@${hostOf(from)}>`,
					headers: {
						"Auto-Submitted": "auto-generated",
						...(unsubscribeUrl && {
							"List-Unsubscribe": `<${unsubscribeUrl}>`,
							"List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
						}),
					},
				});
			} catch (error) {
				throw toServiceError(error);
			}
		},
	};
}

function hostOf(from: string): string {
	return /@([A-Za-z0-9.-]+)>?\s*$/.exec(from)?.[1] ?? "localhost";
}

/** Repeats codes alone: the text of a server may hold the address. */
function toServiceError(cause: unknown): ServiceError {
	const { responseCode: code, code: name } = cause as {
		readonly responseCode?: unknown;
		/** As `ECONNECTION`, `EDNS`, `ETLS`, `EAUTH`. */
		readonly code?: unknown;
	};
	if (typeof code === "number" && code >= 550 && code <= 553) {
		const message = `The mail server refuses this address (${code}).`;
		return invalidArgument(message, { cause });
	}
	const shown = typeof code === "number" ? code : name;
	const reason = shown === undefined ? "" : ` (${shown})`;
	const message = `The mail server did not take the mail${reason}.`;
	return unavailable(message, { cause });
}
