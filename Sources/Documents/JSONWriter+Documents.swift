@_spi(Baton) public import BatonJSON

@_spi(Baton) extension JSONWriter {
    /// Writes a member with a document.
    public mutating func member(_ key: StaticString, _ document: some Document) {
        self.key(key)
        document.write(to: &self)
    }
}
