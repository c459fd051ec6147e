/** A document that is served as it stands, with the hash its ETag is made of. */
export interface ServedDocument {
	readonly mediaType: string;
	readonly body: string | Uint8Array;
	readonly hash: string;
	/** Its address holds a secret: no cache may keep it. */
	readonly isSecret?: boolean;
}
