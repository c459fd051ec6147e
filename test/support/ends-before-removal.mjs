/**
 * The runner removes the folder of a test before its teardowns run, unless a teardown was there first; what the test has
 * started would then write into a folder that is being removed. Every test begins with one, and so does the file itself.
 */
import t from "tap";

const nothing = () => undefined;

t.teardown(nothing);
t.beforeEach((each) => each.teardown(nothing));
