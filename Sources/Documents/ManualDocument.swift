@_spi(Baton) public import BatonJSON

/// Manual pages: `manual`.
@_spi(Baton) public struct ManualDocument: Document {
    /// A page.
    public struct Page: Document {
        /// The name of the page, such as `baton-queue-set`.
        public var name: String
        /// The file that was written; null without `--directory`.
        public var file: String?
        /// The source of the page; null with `--directory`.
        public var text: String?

        /// Describes a page.
        public init(name: String, file: String?, text: String?) {
            self.name = name
            self.file = file
            self.text = text
        }

        /// Writes the page.
        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("name", name)
            writer.member("file", file)
            writer.member("text", text)
            writer.endObject()
        }
    }

    /// The pages.
    public var pages: [Page]

    /// Lists pages.
    public init(pages: [Page]) {
        self.pages = pages
    }

    /// Writes the list.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("pages", array: pages) { page, writer in page.write(to: &writer) }
        writer.endObject()
    }
}
