/* Browsers start no worker for a page opened from a folder. The search then runs in a hidden frame instead. */
if (location.protocol === "file:")
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.srcdoc = "<!doctype html><title>Search</title>";
      this.ready = new Promise((done) => {
        this.frame.onload = () => {
          const { contentWindow: inside, contentDocument: page } = this.frame;
          inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
          const script = page.createElement("script");
          script.onload = () => done(inside);
          script.src = new URL(address, document.baseURI);
          page.body.append(script);
        };
      });
      document.body.append(this.frame);
    }
    async postMessage(data) {
      const inside = await this.ready;
      inside.dispatchEvent(new inside.MessageEvent("message", { data }));
    }
    terminate() {
      this.frame.remove();
    }
  };
