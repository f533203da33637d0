// Ask the tools by the client of npm: node client.mjs URL, or node client.mjs COMMAND ARGUMENTS…
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const find = createRequire(`${process.env.NPM_CLIENT}/`).resolve;
const load = (name) => import(pathToFileURL(find(`@modelcontextprotocol/sdk/client/${name}.js`)));
const { Client } = await load("index");
const [first, ...rest] = process.argv.slice(2);
let transport;
if (first.startsWith("http")) {
  const { StreamableHTTPClientTransport } = await load("streamableHttp");
  transport = new StreamableHTTPClientTransport(new URL(first));
} else {
  const { StdioClientTransport } = await load("stdio");
  transport = new StdioClientTransport({ command: first, args: rest, env: process.env });
}
const client = new Client({ name: "test", version: "1" });
await client.connect(transport);
const tools = (await client.listTools()).tools.map((tool) => tool.name);
const call = async (name, given) => (await client.callTool({ name, arguments: given })).structuredContent;
const found = await call("search_provisions", { question: "lamp at night" });
const wrong = await call("search_provisions", { query: "lamp" });
const { docno, collection } = { collection: found.collection, ...found.provisions[0] };
const read = await call("read_provision", { docno, collection });
const uri = `legalir://${encodeURIComponent(collection)}/${encodeURIComponent(docno)}`;
const resource = (await client.readResource({ uri })).contents[0].text;
await client.close();
console.log(JSON.stringify({ tools, found, wrong, read, resource }));
