/** Which judge figures are of: weights in training change under one name, and figures of two of them are not to be compared. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_ROOT } from "../src/kernel/package-info.js";

/** The judge that is measured where none is named. */
export const JUDGE_FOLDER = join(PACKAGE_ROOT, "models", "judge");

/** SHA-256 of the weights in a folder; read before they are loaded. Throws where there are none. */
export function weightsOf(folder: string): string {
	const weights = readFileSync(join(folder, "onnx", "model_quantized.onnx"));
	return createHash("sha256").update(weights).digest("hex");
}
