@_spi(Baton) import BatonOperations

/// The page for people: one HTML file for all its addresses, whose script fetches the documents of the view.
extension Route {
    /// What the page may do: load its own files, ask this server, and make no element of a text.
    private static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; \
        form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'
        """

    /// The name of the file that is the shell.
    private static let shell = "index.html"

    /// The page and its files.
    ///
    /// - Parameter assets: the files, the shell among them; most coordinators are never asked for them.
    static func ofPages(_ assets: MadeOnce<[PageAsset]>) -> [Route] {
        let paths: [(StaticString, String)] = [
            ("/", "The overview for people."),
            ("/jobs", "The jobs for people."),
            ("/jobs/{job}", "A job for people."),
            ("/operations/{job}/{operation}", "An operation for people."),
            ("/workers", "The workers for people."),
            ("/workers/{worker}", "A worker for people."),
            ("/queues", "The queues for people."),
            ("/queues/{queue}", "A queue for people."),
            ("/search", "A search for people."),
        ]
        let pages = paths.map { path, summary in
            Route(.get, path, summary, answer: .page, answerHeaders: [.tag], audience: .visitors) {
                context throws(WebRefusal) in
                let asset = try asset(named: shell, in: assets.value)
                var response = asset.response(to: context.request.head)
                response.headers.add("Content-Security-Policy", policy)
                return response
            }
        }
        let file = Route(
            .get,
            "/assets/{asset}",
            "A file of the page.",
            answer: .file,
            answerHeaders: [.tag],
            audience: .visitors
        ) { context throws(WebRefusal) in
            let name = context.values[.asset] ?? ""
            guard name != shell else { throw noFile(name) }
            return try asset(named: name, in: assets.value).response(to: context.request.head).sandboxed
        }
        return pages + [file]
    }

    private static func asset(named name: String, in assets: [PageAsset]) throws(WebRefusal) -> PageAsset {
        guard let asset = assets.first(where: { $0.name == name }) else { throw noFile(name) }
        return asset
    }

    private static func noFile(_ name: String) -> WebRefusal {
        WebRefusal(404, "notFound", "The page has no file \(name.asShown).")
    }
}
