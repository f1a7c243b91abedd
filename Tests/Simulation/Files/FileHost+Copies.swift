@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
@_spi(Baton) import BatonWorker

/// The copies that a simulated worker makes for no attempt: fetches in the name of a copy, which last as long as the session.
extension FileHost {
    /// Copies files that are not here or on their way; now and then there is no room for one.
    func copy(_ files: [KeptFile]) {
        store.setReleased(files.map(\.digest), false)
        let underWay = Set(fetches.lazy.filter { $0.key.isOfCopy }.flatMap { $0.value.files.map(\.file.digest) })
        for file in files where !store.holds(file.digest) && !underWay.contains(file.digest) {
            guard !random.chance(4) else {
                tellNotCopied(file.digest, hasRoom: false)
                continue
            }
            world.tell("\(host.name): copies \(file.digest.hexadecimal.prefix(8))")
            let fetch = Fetch(.copy(nextCopy), [InputFile(folder: "copy", file: file)])
            nextCopy += 1
            fetches[fetch.token] = fetch
            watch(fetch)
            goOn(fetch)
        }
    }

    /// Copies some contents no more.
    func dropCopies(where isMeant: (ContentDigest) -> Bool) {
        fetches = fetches.filter { token, fetch in
            !token.isOfCopy || !fetch.files.contains { isMeant($0.file.digest) }
        }
        goOnIdle()
    }

    /// Reports a content that is not copied.
    func tellNotCopied(_ digest: ContentDigest, hasRoom: Bool) {
        notCopied.insert(digest)
        world.tell("\(host.name): does not copy \(digest.hexadecimal.prefix(8))")
        if let sessionOfCopies { host.post(.filesNotCopied(sessionOfCopies, [digest], hasRoom: hasRoom)) }
    }
}
