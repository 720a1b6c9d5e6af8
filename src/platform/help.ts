import type { Topic } from './config.ts'

const overview = `Natter, the platform behind the chat widget.

  natter serve     Run the platform
  natter org       Create and list organizations
  natter bot       Create and list bots
  natter token     Create, list and revoke organization tokens

  natter <command> --help   What a command takes
  natter --version

To try it out: natter serve --dev
`

const database = '  --database FILE        The database (default ./natter.db)'

const topics: Record<Topic, string> = {
  serve: `natter serve [options]

Runs the platform until it is told to stop (SIGTERM, SIGINT). The log goes to stderr, one line of JSON at a time.

  --host HOST            Address to listen on (default 127.0.0.1; 0.0.0.0 for all)
  --port PORT            Port to listen on (default 8787; 0 picks a free one)
  --database FILE        The database (default ./natter.db), or :memory: for one that is gone at the end
  --content FOLDER       Markdown files that the bots answer from
  --dev                  Make an organization and a bot where there is none, print a fresh organization token
                         (those of earlier --dev starts end), let pages of this machine embed the bot
  --json                 Print {"baseUrl","botId","organizationToken"} as one line once it accepts requests
`,
  org: `natter org create --name NAME
natter org list

${database}

"create" prints the organization's id.
`,
  bot: `natter bot create --organization ID --name NAME [options]
natter bot list [--organization ID]

  --greeting TEXT        First words in an empty chat; \\n starts another bubble
  --quick-reply TEXT     A suggestion under the greeting; repeat it for more
  --accent COLOUR        #rrggbb
  --origin ORIGIN        A site that may embed the bot, such as https://shop.example; repeat it for more.
                         https://host:* takes any port, * any site
${database}

"create" prints the bot's id.
`,
  token: `natter token create --organization ID
natter token list [--organization ID]
natter token revoke PREFIX

${database}

"create" prints the token, once: only its hash is kept. "revoke" takes the first 10 characters, as "list" shows them;
a running platform refuses the token from its next request on.
`,
}

/** What `--help` prints. */
export const helpText = (topic?: Topic): string => (topic ? topics[topic] : overview)
