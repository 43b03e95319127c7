"""The words around code and figures of notebooks, in each language."""

WORDS = {
    "en": {
        "output": "Output",
        "data": "Data of this chart",
        "no_script": "This chart is drawn by JavaScript. The table has the same numbers.",
        "download": "Download notebook",
        "open_in": "Open in",
        "ran_with": "ran with",
    },
    "de": {
        "output": "Ausgabe",
        "data": "Daten zu diesem Diagramm",
        "no_script": "JavaScript zeichnet dieses Diagramm. Die Tabelle enthält dieselben Zahlen.",
        "download": "Notebook herunterladen",
        "open_in": "Öffnen in",
        "ran_with": "ausgeführt mit",
    },
    "fr": {
        "output": "Sortie",
        "data": "Données de ce graphique",
        "no_script": "Ce graphique est tracé par JavaScript. Le tableau donne les mêmes nombres.",
        "download": "Télécharger le notebook",
        "open_in": "Ouvrir dans",
        "ran_with": "exécuté avec",
    },
    "ar": {
        "output": "الناتج",
        "data": "بيانات هذا الرسم البياني",
        "no_script": "ترسم شيفرة JavaScript هذا الرسم البياني، وفي الجدول الأعداد نفسها.",
        "download": "تنزيل الدفتر",
        "open_in": "الفتح في",
        "ran_with": "شُغِّل باستخدام",
    },
}
# The decimal separator and the one between thousands, as Plotly wants them.
SEPARATORS = {"en": ".,", "de": ",\u202f", "fr": ",\u202f", "ar": ".,"}
