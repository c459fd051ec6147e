import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** A certificate for one name that signs itself, good for a day, with its key; both in PEM. */
export function createCertificate(name: string) {
	const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
	const algorithm = sequence(objectId(ECDSA_SHA256));
	const commonName = sequence(set(sequence(objectId(COMMON_NAME), utf8(name))));
	const [now, day] = [Date.now(), 86_400_000];
	const subjectAltName = sequence(der(0x82, Buffer.from(name)));
	const extension = sequence(objectId(SUBJECT_ALT_NAME), der(OCTETS, subjectAltName));
	const body = sequence(
		der(0xa0, integer(Buffer.from([2]))),
		integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
		algorithm,
		commonName,
		sequence(utcTime(now - day), utcTime(now + day)),
		commonName,
		publicKey.export({ type: "spki", format: "der" }),
		der(0xa3, sequence(extension)),
	);
	const signature = sign("sha256", body, privateKey);
	const whole = sequence(body, algorithm, der(BITS, Buffer.concat([Buffer.from([0]), signature])));
	const lines = whole.toString("base64").replace(/.{64}/g, "$&\n");
	return {
		certificate: Buffer.from(`-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`),
		key: Buffer.from(privateKey.export({ type: "pkcs8", format: "pem" })),
	};
}

/** Contents of object identifiers. */
const ECDSA_SHA256 = "2a8648ce3d040302";
const COMMON_NAME = "550403";
const SUBJECT_ALT_NAME = "551d11";

const BITS = 0x03;
const OCTETS = 0x04;

/** One value in DER: tag, length, contents. */
function der(tag: number, contents: Buffer): Buffer {
	const { length } = contents;
	const head = length < 0x80 ? [tag, length] : [tag, 0x82, length >> 8, length & 0xff];
	return Buffer.concat([Buffer.from(head), contents]);
}

const sequence = (...parts: readonly Buffer[]) => der(0x30, Buffer.concat(parts));
const set = (...parts: readonly Buffer[]) => der(0x31, Buffer.concat(parts));
const integer = (bytes: Buffer) => der(0x02, bytes);
const objectId = (hex: string) => der(0x06, Buffer.from(hex, "hex"));
const utf8 = (text: string) => der(0x0c, Buffer.from(text));

function utcTime(ms: number): Buffer {
	const digits = new Date(ms).toISOString().replace(/\D/g, "").slice(2, 14);
	return der(0x17, Buffer.from(`${digits}Z`));
}
