/* Keeps what a person says on the server of the page, at the address data.save. */
page.keptBy((function () {
  let words = "";
  let timer = null;

  function say(text) {
    words = text;
    page.progress();
  }

  async function send(content) {
    try {
      const reply = await fetch(data.save, {
        method: "PUT",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(content),
      });
      say(reply.ok ? "saved on the server." : "not saved: " + ((await reply.json()).error || reply.status));
    } catch (error) {
      say("not saved, the server does not answer; they are kept in this browser.");
    }
  }

  return {
    words: () => words || "write your name, so that they are saved.",
    keep(content) {
      words = content.rater ? "saving…" : "";
      clearTimeout(timer);
      if (content.rater) timer = setTimeout(() => send(content), 600);
    },
    async ask(rater, take) {
      try {
        const reply = await fetch(data.save + "&rater=" + encodeURIComponent(rater));
        if (reply.ok) take(await reply.json());
      } catch (error) {
        say("the server does not answer.");
      }
    },
  };
})());
