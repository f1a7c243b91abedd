extension HTTPResponse {
    /// Sends the reader of a page to the same page of the coordinator that leads; nil if its address is not one of a web interface.
    ///
    /// The address comes from the record, and becomes a header: only a plain address of HTTP is accepted.
    ///
    /// - Parameter page: the address of the leader's web interface, with a slash at its end.
    init?(_ head: HTTPRequestHead, at page: String) {
        func isPlain(_ text: Substring) -> Bool { text.utf8.allSatisfy { (0x21...0x7E).contains($0) } }
        guard page.hasPrefix("http://") || page.hasPrefix("https://"), page.hasSuffix("/"), page.utf8.count <= 300,
            isPlain(page[...])
        else { return nil }
        // An absolute target, or one that names a host, leads to the first page.
        let isOwn = head.target.hasPrefix("/") && !head.target.hasPrefix("//") && isPlain(head.target[...])
        let place = isOwn ? page + head.target.dropFirst() : page
        self = .text("This coordinator stands by. The page of the one that leads is at \(place)\n", status: 307)
        // Unless the new address has a fragment, a browser keeps the fragment of the present address, which may be a token of this
        // coordinator. The fragment "main" names the content of the page.
        headers.add("Location", place.contains("#") ? place : place + "#main")
    }
}
