import ts from "typescript";

/** Where a function begins, in lines and columns of the compiled file, both from 0. */
export interface FunctionEntry {
	readonly name: string;
	readonly line: number;
	readonly column: number;
}

export interface Instrumented {
	readonly code: string;
	/** In the order of their ids, which begin at the `firstId` that was given. */
	readonly functions: readonly FunctionEntry[];
}

interface Insertion {
	readonly at: number;
	readonly text: string;
}

/** Lets each function of a compiled module report that it was entered, by a number of its own. */
export function instrument(code: string, firstId: number): Instrumented {
	const file = ts.createSourceFile("module.js", code, ts.ScriptTarget.ESNext, true);
	const functions: FunctionEntry[] = [];
	const insertions: Insertion[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isFunctionLike(node) && "body" in node && node.body) {
			insertions.push(...enterCalls(node.body as ts.Node, file, firstId + functions.length));
			const { line, character } = file.getLineAndCharacterOfPosition(node.getStart(file));
			functions.push({ name: nameOf(node, file), line, column: character });
		}
		ts.forEachChild(node, visit);
	};
	visit(file);
	return { code: insertAll(code, insertions), functions };
}

/** A body without braces is an expression, and keeps its value. */
function enterCalls(body: ts.Node, file: ts.SourceFile, id: number): readonly Insertion[] {
	const call = `globalThis.__enterFunction?.(${id})`;
	if (ts.isBlock(body)) return [{ at: body.getStart(file) + 1, text: `${call};` }];
	return [
		{ at: body.getStart(file), text: `(${call},` },
		{ at: body.getEnd(), text: ")" },
	];
}

/** The name that the source gives it; a function without one is named by what it is in. */
function nameOf(node: ts.SignatureDeclaration, file: ts.SourceFile): string {
	const own = ownNameOf(node, file);
	if (own !== undefined) return own;
	for (let outer: ts.Node = node.parent; outer; outer = outer.parent) {
		const name = ts.isFunctionLike(outer) ? ownNameOf(outer, file) : undefined;
		if (name !== undefined) return `in ${name}`;
	}
	return "in the module";
}

function ownNameOf(node: ts.SignatureDeclaration, file: ts.SourceFile): string | undefined {
	if (ts.isConstructorDeclaration(node)) return "constructor";
	if (node.name) return node.name.getText(file);
	const { parent } = node;
	const isNamed =
		ts.isVariableDeclaration(parent) ||
		ts.isPropertyAssignment(parent) ||
		ts.isPropertyDeclaration(parent);
	return isNamed ? parent.name.getText(file) : undefined;
}

function insertAll(code: string, insertions: readonly Insertion[]): string {
	let [result, from] = ["", 0];
	// Bodies that end at the same place end with the same text.
	for (const { at, text } of insertions.toSorted((a, b) => a.at - b.at)) {
		result += code.slice(from, at) + text;
		from = at;
	}
	return result + code.slice(from);
}
