/** Small folders as eight kinds of people keep them, in our own words: each has what its kind of tool understands and no reader does. */

type Folder = Readonly<Record<string, string>>;

const PROPOSALS: Folder = {
	"0001-private-fields.md": [
		"- Feature Name: `private_fields`",
		"- Start Date: 2014-03-11",
		"- RFC PR: [example/rfcs#1](https://tracker.example/rfcs/1)",
		"",
		"# Summary",
		"",
		"Fields are private unless they say otherwise. This was asked for in [the long thread](https://forum.example/t/44).",
		"",
		"# Motivation",
		"",
		"Types like `Vec<T>` keep invariants; see [attributes](0048-attributes.md) for what may change them.",
	].join("\n"),
	"0048-attributes.md": [
		"| Field | Value |",
		"|---|---|",
		"| Created | 13 June 2016 |",
		"",
		"# Summary",
		"",
		"Attributes stand before what they change. A footnote says more[^why].",
		"",
		"[^why]: Measured in <https://bench.example/attributes>.",
	].join("\n"),
	"0102-macros/README.md":
		"Last updated: 2019-05-06\n\n# Summary\n\nMacros are hygienic. See the [old][o] rules, and [fields](https://tracker.example/blob/main/text/0001-private-fields.md) in [an issue](https://tracker.example/issues/0001).\n\n[o]: ../0048-attributes.md\n",
};

const DOCUSAURUS: Folder = {
	"docs/intro.mdx": [
		"---",
		"sidebar_position: 1",
		"last_update: { date: 2024-02-03 }",
		"updated: 2024-02-03",
		"---",
		"import Tabs from '@theme/Tabs';",
		"import TabItem from '@theme/TabItem';",
		"export const version = '3.1';",
		"",
		"# Getting a harbor",
		"",
		'Run version {version} on <Highlight color="#25c2a0">any</Highlight> machine, then read [the guide](./guides/moor.md).',
		"",
		'<Tabs groupId="os">',
		'  <TabItem value="linux" label="Linux">',
		"",
		"    Use the package of your distribution.",
		"",
		"  </TabItem>",
		"</Tabs>",
		"",
		":::tip[Before you start]",
		"",
		"Boats need papers.",
		"",
		":::",
		"",
		"{/* not for readers */}",
	].join("\n"),
	"docs/guides/moor.md":
		"---\ntitle: Mooring\n---\n\n:::note Tides\nTie with slack.\n:::\n\n<details>\n<summary>Why slack</summary>\n\nWater falls. The [harbor act](https://law.example/harbor) says so.\n\n</details>\n",
	"docs/guides/_category_.json": '{ "label": "Guides" }',
	"docs/guides/_partial.mdx": "A part <Of /> others.",
	"docs/ops/intro.md": "---\ntitle: Introduction\n---\nFor those who run it.\n",
	"docs/dev/intro.md": "---\ntitle: Introduction\n---\nFor those who build it.\n",
};

const HUGO: Folder = {
	"content/_index.md": '+++\ntitle = "Knots"\ndate = 2020-01-02\n+++\n\nEverything about knots.\n',
	"content/posts/bowline/index.md": [
		"---",
		"title: The bowline",
		"date: 2021-07-08",
		"---",
		'{{< figure src="bowline.png" caption="A bowline before it is pulled" >}}',
		"",
		'A loop that does not slip. {{% notice tip %}}Count the turns.{{% /notice %}} See [the hitch]({{< ref "/posts/hitch.md" >}}).',
		"",
		"{{< youtube abc123 >}}",
		"",
		"{{< highlight sh >}}tie --loop{{< /highlight >}}",
	].join("\n"),
	"content/news/2022/untied.md":
		'---\ntitle: Untied\n---\nWhat [slipped]({{< ref "hitch.md" >}}) was [the loop](/en/posts/bowline/).\n',
	"content/posts/hitch.md":
		"---\ntitle: The clove hitch\nlastmod: 2022-03-04\n---\nIt holds a post, back to [the loop](/posts/bowline/).\n",
	"content/news/2023/tight.md": [
		"---",
		"title: Tight",
		"---",
		'Start with [the loop]({{< ref "/posts/bowline/index.md" >}}).',
		"",
		'{{< featured link="/posts/hitch/" >}}',
		"",
		'{{< button href="https://ropes.example/buy" text="Buy a rope" >}}',
		"",
		'{{< quote-block text="A rope remembers its turns." cite="A rigger" >}}',
	].join("\n"),
	"layouts/shortcodes/note.md": "{{ .Inner }}",
	"archetypes/default.md": "---\ntitle: {{ .Name }}\n---\n",
};

const JEKYLL: Folder = {
	"_pages/hiring.md": [
		"---",
		"title: Hiring",
		"---",
		'{% include note.html content="x" %}',
		"{% assign team = site.data.team %}",
		"# {{ page.title }} {#top}",
		"",
		"* TOC",
		"{:toc}",
		"",
		'Ask [the lead]({% link _pages/leads.md %}) first, or [move]({% page "/moving-day/" %}).{: .callout}',
		"{% if site.open %}We are open.{% endif %}",
		"{% for person in team %}",
		"- {{ person.name }}",
		"{% endfor %}",
		"{% raw %}Write `{{ name }}` in the form.{% endraw %}",
	].join("\n"),
	"_pages/leads.md":
		"---\ntitle: Leads\n---\n\n{% highlight ruby %}\nputs 1\n{% endhighlight %}\n\nLeads answer within a day, as [the policy]({{ site.baseurl }}/hiring/) says. They wait. [More is here.](https://leads.example/ask)\n",
	"_posts/2019-03-04-moving-day.md": "We moved on a Monday.\n{: .lead}\n",
	"_includes/note.md": "{{ include.content }}",
};

const VAULT: Folder = {
	"Rope.md": [
		"---",
		"aliases: [Line]",
		"created: 2023-09-10",
		"---",
		"A rope at sea is a [[Sheet|sheet]] or a [[Halyard#Use|halyard]]. ^block1",
		"![[rope.png]]",
		"![[Sheet]]",
		"%% ask Anna before showing this %%",
		"%%",
		"my doubts",
		"%%",
		"> [!warning]- Old ropes",
		"> Throw them away.",
		"#gear",
	].join("\n"),
	"Sheet.md": "Trims a sail, see [[Line]] and [a table](https://sails.example/table).\n",
	"Halyard.md": "## Use\n\nHoists a sail.\n\n## Care\n\nWash it.\n",
	"Templates/Daily.md": "# <% tp.date.now() %>\n\nNotes of a day, written every evening.\n",
};

const WIKI: Folder = {
	"Home.md": "Welcome. Start at [[Building|Build-Guide]] or [[Build-Guide]].\n",
	"Build-Guide.md":
		'[[_TOC_]]\n\n# Build guide\n\n<p align="center"><img src="x.png" alt="A diagram"></p>\n\nYou need <kbd>make</kbd> and a <a href="https://compilers.example/c">compiler</a>.<br>Nothing else.\n\n<table><tr><th>Tool</th><th>Version</th></tr><tr><td>make</td><td>4</td></tr></table>\n',
	"Tracing.md":
		"A trace says which part is slow. The [guide](https://code.example/tools/wiki/Build-Guide#flags) has the flags, [this page](https://code.example/tools/wiki/Tracing) the rest.\n\n=====\n\n# First steps\n\nSwitch it on.\n\n# Reading one\n\nLook for long bars.\n",
	"_Sidebar.md": "* [[Home]]\n",
	"_Footer.md": "Made by us\n",
};

const MKDOCS: Folder = {
	"docs/index.md":
		"---\nhide: [navigation]\n---\n\n[Get started](setup.md){ .md-button }\n\n# Lighthouse\n\nA :material-lighthouse: for every coast.\n",
	"docs/setup.md": [
		"# Setup { #setup }",
		"",
		'!!! warning "Mind the lamp"',
		"",
		"    It is hot, says [the maker](https://lamps.example/safety).",
		"",
		"    ??? note",
		"        Wear gloves.",
		"",
		'=== "Linux"',
		"",
		"    ``` sh",
		"    light --on {{ keep }}",
		"    ```",
		"",
		'=== "Other"',
		"",
		"    Ask.",
		"",
		'--8<-- "includes/abbreviations.md"',
		"",
		"::: lighthouse.lamp.Lamp",
		"    options:",
		"      members: false",
		"",
		"Version {{ config.version }} is current.",
	].join("\n"),
	"docs/tabs.md": [
		"# Tabs",
		"",
		'``` title="How to write one"',
		'=== "Linux"',
		"",
		"    ``` sh",
		"    light --on",
		"    ```",
		"",
		'=== "Other"',
		"",
		"    Ask.",
		"```",
		"",
		'=== "What it looks like"',
		"",
		"    Like this.",
	].join("\n"),
	"docs/SUMMARY.md": "* [Setup](setup.md)\n",
};

const RELEASES: Folder = Object.fromEntries(
	["1.0", "1.1", "2.0"].map((version, at) => [
		`v${version.replace(".", "_")}.md`,
		`---\nOrder: ${at}\nDate: 2020-0${at + 1}-15\n---\n# Shiny new things\n\nRelease ${version} brings [faster search](https://releases.example/${version}).\n\n# Fixes\n\nNo note is lost. ([#${at}](https://tracker.example/${at}))\n`,
	]),
);

export const FOREIGN_FOLDERS: Readonly<Record<string, Folder>> = {
	proposals: PROPOSALS,
	docusaurus: DOCUSAURUS,
	hugo: HUGO,
	jekyll: JEKYLL,
	vault: VAULT,
	wiki: WIKI,
	mkdocs: MKDOCS,
	releases: RELEASES,
};
