/**
 * The runner removes the folder of a test before its teardowns run, unless a teardown was there first; what the test has
 * started would then write into a folder that is being removed. Every test begins with one.
 */
import t from "tap";

t.beforeEach((each) => each.teardown(() => undefined));
