/** The port to mail readers. */

export interface MailMessage {
	readonly to: string;
	/** One line. */
	readonly subject: string;
	readonly text: string;
	readonly html: string;
	/** The same for the same mail, so that one sent twice is shown once. */
	readonly messageId: string;
	/** One-click address (RFC 8058); absent for mails that nobody subscribed to. */
	readonly unsubscribeUrl?: string;
}

export interface Mailer {
	/** Resolves once the mail server has taken it. Throws UNAVAILABLE, or INVALID_ARGUMENT when the server refuses the address. */
	send(message: MailMessage): Promise<void>;
}
