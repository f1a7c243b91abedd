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
    }

    /// The pages.
    public var pages: [Page]

    /// Lists pages.
    public init(pages: [Page]) {
        self.pages = pages
    }
}
