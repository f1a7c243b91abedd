@_spi(Baton) package import BatonOperations
@_spi(Baton) import BatonScheduler

extension CoordinatorCore {
    /// The sessions of the workers that keep a file, for surroundings that move files without pieces; those that can be reached come first.
    ///
    /// - Parameters:
    ///   - token: the attempt that needs the file.
    ///   - session: the session of the worker that asks.
    /// - Returns: nil if the attempt is not at the session, or does not need the file (FI11).
    package func holders(of digest: ContentDigest, for token: AttemptToken, at session: SessionID) -> [SessionID]? {
        scheduler.mayRead(session, token, digest) ? scheduler.holders(of: digest) : nil
    }
}
